// A stop or a refused write between a list that has changed and its cards: exactly one card, with the right times.
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { seen } from '../../../support/connection-log.ts';
import { readEvents } from '../../../support/event-reader.ts';
import { refuseInserts } from '../../../support/held-writes.ts';
import { elsewhere, fetchMs, here, listed, type RetroLab, startRetroLab } from '../../../support/retro-lab.ts';
import { device, hour } from '../../../support/threat-lab.ts';

const day = 24 * hour;

const messages = (lab: RetroLab) => lab.chat.messages.map(({ text }) => text);
/** Contacted three days ago and since; returns when the list that is then replaced was confirmed last. */
async function startContacted() {
  const lab = await startRetroLab();
  lab.routers.home.flow({ src: device, dst: listed, dport: 443, proto: 'tcp', lastsMs: 30 * day });
  await lab.poll();
  await lab.later(3 * day);
  return { lab, previousAt: (await lab.feed('feed_drop')).checkedAt };
}

test.each([
  ['detection', 'between the judging and the card', 1],
  ['outbox_event', 'at the alert, the last step of the card', 1],
  ['retro_match', 'in the middle of judging', 0],
])('writes to %s are refused: %s; after the next start there is one card', async (table, _what, pending) => {
  const { lab, previousAt } = await startContacted();
  await using _ = lab;
  const allow = await refuseInserts(lab, table);
  await lab.relist(here);
  const listedAt = (await lab.feed('feed_drop')).checkedAt;
  expect([await lab.logged(), messages(lab)]).toEqual([[], []]);
  expect(await lab.rows('SELECT pending FROM retro_match')).toHaveLength(pending);
  // Confirmed by the publisher once more, while the log does not agree yet.
  await lab.later(fetchMs);
  await lab.stop();
  await allow();
  await lab.restart();
  // Polls find the contact before the card is made.
  await lab.advance(limits.feedsFirstMs - 1);
  expect(await lab.logged()).toEqual([]);
  await lab.advance(1);
  await lab.poll();
  const logged = await lab.logged();
  expect(logged).toMatchObject([
    { type: 'retro_match', src: device, dst: listed, retro: { cause: 'list', previousAt, listedAt, isOngoing: true } },
  ]);
  await lab.later(hour);
  expect(await lab.logged('retro_match')).toHaveLength(1);
});

test('ten thousand devices and destinations: each has its row, fifty are sent as live updates, one message', async () => {
  await using lab = await startRetroLab();
  await lab.stop();
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const at = lab.clock.now() - day;
  const observations = Array.from({ length: 10_000 }, (_, index) =>
    seen({ src: `10.0.${index % 40}.7`, dst: `203.0.113.${Math.floor(index / 40)}`, at }),
  );
  await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations, now: at });
  await db.close();
  await lab.restart();
  await lab.later(day);
  using events = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  await events.next('ready');
  await lab.relist(here);
  expect((await events.next('threat-feeds')).data).toMatchObject({ threats: 10_000, retroMatches: 10_000 });
  expect(events.names.filter((name) => name === 'detection')).toHaveLength(50);
  expect(events.names).toContain('connections-update');
  expect(await lab.rows("SELECT count(*) AS count FROM detection WHERE type = 'retro_match'")).toEqual([
    { count: 10_000 },
  ]);
  expect(messages(lab)).toEqual([expect.stringMatching(/^\*10000 detections\*/)]);
  const { logs, truncated } = await lab.as.admin.detection.log({ query: { type: 'retro_match', limit: '2000' } });
  expect([logs.length, truncated, new Set(logs.map(({ src, dst }) => `${src} ${dst}`)).size]).toEqual([
    2000,
    true,
    2000,
  ]);
  await lab.relist(here, elsewhere);
  expect(await lab.rows("SELECT count(*) AS count FROM detection WHERE type = 'retro_match'")).toEqual([
    { count: 10_000 },
  ]);
});
