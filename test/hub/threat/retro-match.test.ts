// A destination is listed after it was contacted: one card for each device, which says since when, and by which change.
import { expect, test } from 'vitest';
import { readEvents } from '../../support/event-reader.ts';
import { here, listed, type RetroLab, startRetroLab } from '../../support/retro-lab.ts';
import { device, hour } from '../../support/threat-lab.ts';
import { verifies } from '../../support/verifies.ts';

const day = 24 * hour;
const other = '192.168.100.42';

const messages = (lab: RetroLab) => lab.chat.control.messages.map(({ text }) => text);
const detailOf = (lab: RetroLab, dport = 443) =>
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
    const { connection, threatEvidence } = await detailOf(lab);
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
    expect(messages(lab)).toEqual([expect.stringMatching(/^\*Listed now, contacted before\*.*Spamhaus DROP/s)]);
    expect((await events.next('detection')).data).toEqual({ ...card, chatSent: 0 });
    expect((await events.next('threat-feeds')).data).toMatchObject({ threats: 1, retroMatches: 1 });
    expect(threatEvidence?.retro).toEqual({
      ...{ ...change, seenBeforeMs: (fetchedAt ?? 0) - firstSeen },
      message: 'seen 3 days before it was listed',
    });
    lab.feeds.control.list('drop', [...[here, '2001:db8:bad::/48'].map((cidr) => ({ cidr }))]);
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
