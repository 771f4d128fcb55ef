// A destination is listed after it was contacted: one card for each device, which says since when, and by which change.
import { expect, test } from 'vitest';
import { readEvents } from '../../../support/event-reader.ts';
import { elsewhere, here, listed, type RetroLab, startRetroLab } from '../../../support/retro-lab.ts';
import { device, hour } from '../../../support/threat-lab.ts';
import { verifies } from '../../../support/verifies.ts';

const day = 24 * hour;
const other = '192.168.100.42';

const messages = (lab: RetroLab) => lab.chat.messages.map(({ text }) => text);
const readDetail = (lab: RetroLab, dport = 443) =>
  lab.as.admin.connections.detail({ params: { id: `${device},${listed},${dport},TCP` } });

verifies(
  'rest.detection.log-threats rest.service.notify-chat rest.service.notify-web-ui',
  'listed now, contacted three days ago: one card, one message, one event, and the connection says it',
  async () => {
    await using lab = await startRetroLab();
    await lab.contact();
    await lab.later(3 * day);
    const confirmedAt = (await lab.feed('feed_drop')).checkedAt;
    using events = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    await events.next('ready');
    await lab.relist(here);
    const { connection, threatEvidence } = await readDetail(lab);
    // Its other document is the same: when both were fetched is not said, when they were confirmed is.
    const { checkedAt: fetchedAt } = await lab.feed('feed_drop');
    const { firstSeen, lastSeen } = connection;
    const change = { cause: 'list', previousAt: confirmedAt, listedAt: fetchedAt };
    const [card, ...more] = await lab.logged();
    expect(more).toEqual([]);
    expect(card).toMatchObject({
      ...{ type: 'retro_match', src: device, dst: listed, dport: 443, proto: 'TCP', chatSent: 1 },
      ...{ threatSource: 'feed_drop', threatConfidence: 'high', detectedAt: lab.clock.now() },
      retro: {
        ...{ flows: 1, connections: [{ id: `${device},${listed},443,TCP`, firstSeen, lastSeen }] },
        ...{ firstSeen, lastSeen, feed: 'feed_drop', level: 'danger', isOngoing: false, ...change },
      },
    });
    expect(messages(lab)).toEqual([expect.stringMatching(/^\*Contacted before it was listed\*.*Spamhaus DROP/s)]);
    expect((await events.next('detection')).data).toEqual({ ...card, chatSent: 0 });
    expect((await events.next('threat-feeds')).data).toMatchObject({ threats: 1, retroMatches: 1 });
    expect(threatEvidence?.retro).toEqual({
      ...{ ...change, seenBeforeMs: (fetchedAt ?? 0) - firstSeen },
      message: 'seen 3 days before it was listed',
    });
    lab.feeds.list('drop', [...[here, '2001:db8:bad::/48'].map((cidr) => ({ cidr }))]);
    await lab.later(day);
    await lab.restart();
    await lab.later(day);
    expect(await lab.logged()).toHaveLength(1);
    expect(messages(lab)).toHaveLength(1);
  },
);

test('of two devices and several ports there is one card a device, with each flow', async () => {
  await using lab = await startRetroLab();
  for (const dport of [80, 443, 8443]) {
    await lab.contact({ dport });
  }
  await lab.contact({ src: other });
  await lab.later(3 * day);
  await lab.relist(here);
  const cards = await lab.logged();
  expect(cards.map(({ type, src, dport, retro }) => [type, src, dport, retro?.flows])).toEqual([
    ['retro_match', other, 443, 1],
    ['retro_match', device, 8443, 3],
  ]);
  const { connections = [], firstSeen, lastSeen } = cards[1]?.retro ?? {};
  expect(connections.map(({ id }) => id)).toEqual([8443, 443, 80].map((port) => `${device},${listed},${port},TCP`));
  expect([firstSeen, lastSeen]).toEqual([connections[2]?.firstSeen, connections[0]?.lastSeen]);
});

test('what began after the earlier list was confirmed is a contact as any other', async () => {
  await using lab = await startRetroLab();
  await lab.contact();
  await lab.later(3 * day);
  await lab.contact({ src: other });
  await lab.relist(here);
  const logged = await lab.logged();
  expect(logged.map(({ type, src }) => [type, src])).toEqual([
    ['retro_match', device],
    ['threat', other],
  ]);
  expect(logged[1]?.retro).toBeNull();
  const id = `${other},${listed},443,TCP`;
  expect((await lab.as.admin.connections.detail({ params: { id } })).threatEvidence).toMatchObject({ retro: null });
});

test('a feed that is switched on says that nobody knows when it listed; an hour before its fetch is no retro-match', async () => {
  await using lab = await startRetroLab();
  const save = async (enabled: boolean) => {
    await lab.as.admin.threat.saveFeedsConfig({ body: { feeds: { feed_drop: { enabled } } } });
    await lab.settled();
  };
  await save(false);
  await lab.contact();
  await lab.later(3 * day);
  await lab.contact({ src: other });
  await lab.later(hour / 2);
  lab.feeds.list('drop', [{ cidr: here }, { cidr: '2001:db8:bad::/48' }]);
  await save(true);
  const listedAt = (await lab.feed('feed_drop')).checkedAt;
  const [card, contact, ...more] = await lab.logged();
  expect(more).toEqual([]);
  expect(card).toMatchObject({ src: device, retro: { cause: 'feed_added', previousAt: null, listedAt } });
  expect(contact).toMatchObject({ type: 'threat', src: other });
  expect((await readDetail(lab)).threatEvidence?.retro?.message).toBe(
    'seen 3 days before the hub had this list; it is not known when it was listed',
  );
  // It is the first list no more.
  await save(false);
  await save(true);
  expect(await lab.logged()).toHaveLength(2);
});

test('a warning that the settings turn into danger is a card with that cause', async () => {
  await using lab = await startRetroLab([here]);
  const save = async (dropLevel: 'warn' | 'danger') => {
    await lab.as.admin.threat.saveFeedsConfig({ body: { dropLevel } });
    await lab.settled();
  };
  await save('warn');
  await lab.contact();
  expect((await lab.logged()).map(({ type }) => type)).toEqual(['threat']);
  await lab.later(3 * day);
  await save('danger');
  const [card] = await lab.logged('retro_match');
  expect(card?.retro).toMatchObject({ cause: 'settings', level: 'danger', flows: 1, feed: 'feed_drop' });
  expect(card?.retro?.previousAt).toBe((await lab.feed('feed_drop')).checkedAt);
  expect((await readDetail(lab)).threatEvidence?.retro).toMatchObject({
    seenBeforeMs: 0,
    message: expect.stringMatching(/settings.*list is the same/),
  });
  expect(messages(lab).at(-1)).toMatch(/^\*Contacted before its rating changed\*/);
  await save('warn');
  await save('danger');
  expect(await lab.logged('retro_match')).toHaveLength(1);
});

test('delisted and listed again: no card within a week of the first, one after it', async () => {
  await using lab = await startRetroLab();
  await lab.contact();
  await lab.later(3 * day);
  await lab.relist(here);
  const evidence = async () => (await readDetail(lab)).threatEvidence;
  for (let again = 0; again < 2; again += 1) {
    await lab.relist(elsewhere);
    expect([await evidence(), await lab.rows('SELECT flow_id FROM retro_match')]).toEqual([null, []]);
    await lab.relist(here);
    expect((await evidence())?.retro?.message).toMatch(/^seen [45] days before it was listed$/);
  }
  expect(await lab.logged()).toHaveLength(1);
  expect(messages(lab)).toHaveLength(1);
  await lab.relist(elsewhere);
  await lab.later(7 * day);
  await lab.relist(here);
  expect((await lab.logged()).map(({ type }) => type)).toEqual(['retro_match', 'retro_match']);
  expect(messages(lab)).toHaveLength(2);
});

test('the card is the notification of that contact: it is a threat only when it goes on after the cooldown', async () => {
  await using lab = await startRetroLab();
  const { cooldownMinutes } = (await lab.as.admin.chat.config({})).config;
  lab.routers.home.flow({ src: device, dst: listed, dport: 443, proto: 'tcp', lastsMs: 30 * day });
  await lab.poll();
  await lab.later(3 * day);
  await lab.relist(here);
  const [card, ...more] = await lab.logged();
  expect([card?.type, card?.retro?.isOngoing, more]).toEqual(['retro_match', true, []]);
  await lab.poll();
  await lab.contact({ dport: 8443 });
  expect(await lab.logged()).toHaveLength(1);
  await lab.later(cooldownMinutes * 60_000);
  await lab.poll();
  expect((await lab.logged()).map(({ type }) => type)).toEqual(['threat', 'retro_match']);
});

test('switched off, nothing is logged or sent, and no threat instead; for the log alone, nothing is sent', async () => {
  await using lab = await startRetroLab();
  const save = (chat: boolean, history: boolean) =>
    lab.as.admin.detection.saveConfig({ body: { retroMatch: { chat, history } } });
  await lab.contact();
  await lab.contact({ dst: '198.18.0.9' });
  await lab.later(3 * day);
  await save(false, false);
  await lab.relist(here);
  await lab.poll();
  expect([await lab.logged(), messages(lab)]).toEqual([[], []]);
  expect((await readDetail(lab)).threatEvidence?.retro).toMatchObject({ cause: 'list' });
  await save(false, true);
  await lab.relist(here, '198.18.0.0/24');
  expect(await lab.logged()).toMatchObject([{ type: 'retro_match', dst: '198.18.0.9', chatSent: 0 }]);
  expect(messages(lab)).toEqual([]);
});
