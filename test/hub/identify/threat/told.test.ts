// From the publisher of a feed to the message on somebody's phone: one simulated world, every part real.
import { expect, test } from 'vitest';
import { type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { device, minute, startThreatLab, type ThreatLab } from '../../../support/threat-lab.ts';

const listed = '192.0.2.200';

async function startTold(chat: ChatSimulator): Promise<ThreatLab> {
  const lab = await startThreatLab({ router: true, key: false, hub: { chatApiUrl: chat.url } });
  const { token, userId } = chat.credentials;
  await lab.as.admin.chat.saveConfig({ body: { enabled: true, token, userId } });
  await lab.as.admin.detection.saveConfig({ body: { newDevice: { chat: false, history: false } } });
  return lab;
}

function contact(lab: ThreatLab, dport = 443): void {
  lab.routers.home.flow({ src: device, dst: listed, dport, proto: 'tcp', lastsMs: minute, ends: 'silent' });
}

/** The threats of the detection log: newcomers of the LAN are in it too. */
async function readThreats(lab: ThreatLab) {
  return (await lab.as.admin.detection.log({ query: { type: 'threat' } })).logs;
}

test('within one poll: danger, one row, one message; again within the cooldown nothing', async () => {
  await using chat = await startChat();
  await using lab = await startTold(chat);
  contact(lab);
  await lab.poll();
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '10', fDst: listed } });
  expect(connections).toMatchObject([{ threatLevel: 'danger', threat: { source: 'feed_drop' } }]);
  expect(await readThreats(lab)).toMatchObject([{ src: device, dst: listed, threatSource: 'feed_drop', chatSent: 1 }]);
  expect(chat.journal().filter(({ kind }) => kind === 'message')).toHaveLength(1);
  expect(chat.messages).toMatchObject([{ text: expect.stringContaining('Spamhaus DROP') }]);
  for (let again = 1; again <= 3; again += 1) {
    contact(lab, 443 + again);
    await lab.poll();
  }
  expect(await readThreats(lab)).toHaveLength(1);
  expect(chat.messages).toHaveLength(1);
});

test('an alert whose destination gets on the allow list is expected, and opens at a contact after that; without lists it stays', async () => {
  await using chat = await startChat();
  await using lab = await startTold(chat);
  contact(lab);
  await lab.poll();
  const states = async () =>
    (await lab.as.admin.alerts.list({ query: { kind: 'threat' } })).alerts.map((one) => one.state);
  const switchLists = async (enabled: boolean) => {
    const feeds = { feed_c2: { enabled }, feed_ioc: { enabled }, feed_url: { enabled }, feed_drop: { enabled } };
    await lab.as.admin.threat.saveFeedsConfig({ body: { feeds } });
    await lab.later(24 * 60 * minute);
    expect((await lab.as.admin.threat.feeds({})).available).toBe(enabled);
  };
  expect(await states()).toEqual(['open']);
  await switchLists(false);
  expect(await states()).toEqual(['open']);
  await switchLists(true);
  expect(await states()).toEqual(['open']);
  await lab.as.admin.threat.saveFeedsConfig({ body: { allowList: [listed] } });
  await lab.advance(minute);
  expect(await states()).toEqual(['expected']);
  const [alert] = (await lab.as.admin.alerts.list({ query: { kind: 'threat' } })).alerts;
  const { history } = await lab.as.admin.alerts.detail({ params: { id: String(alert?.id) } });
  expect(history.map(({ action, by }) => [action, by])).toEqual([['allowed', null]]);
  await lab.as.admin.threat.saveFeedsConfig({ body: { allowList: [] } });
  await lab.advance(minute);
  expect(await states()).toEqual(['resolved']);
  await lab.later(24 * 60 * minute);
  contact(lab);
  await lab.poll();
  expect(await states()).toEqual(['open']);
});
