// Flows that ran before their destination was listed, and the card of them, on a real database.
import { expect, test } from 'vitest';
import type { Threat } from '#contract/model.ts';
import type { ListChange, RetroMatch } from '#contract/retro-match.ts';
import { clampRetroMatches } from '#hub/identify/detection/clamp-retro.ts';
import { insertDetection, readLabels } from '#hub/identify/detection/detection-log.ts';
import { type RetroCard, readPairsWithoutCard, takeCard } from '#hub/identify/detection/retro-cards.ts';
import { createRetroNoter, hasRetroMatch } from '#hub/identify/detection/retro-flows.ts';
import type { ChangedVerdict } from '#hub/record/connections/upkeep/rejudge.ts';
import type { WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, hour, noon, openConnectionLog } from '../../../support/connection-log.ts';

const minute = 60_000;
const [src, dst] = ['192.168.1.2', '203.0.113.80'];
const [other, second] = ['192.168.1.3', '203.0.113.81'];
const change: ListChange = { cause: 'list', previousAt: noon + 1, listedAt: noon + hour };
const threat: Threat = {
  ...{ level: 'danger', confidence: 'high', source: 'feed_ioc', tag: 'Bot' },
  ...{ matchType: 'ip', matchValue: dst, port: null, url: null },
};
const warning: Threat = { ...threat, level: 'warn' };

/** What the steps return, and how often they let others write. */
function count<T>(steps: WriteSteps<T>): { value: T; yields: number } {
  for (let yields = 0; ; yields += 1) {
    const step = steps.next();
    if (step.done) {
      return { value: step.value, yields };
    }
  }
}

test.each<[flow: Partial<ChangedVerdict>, change: Partial<ListChange>, isNoted: boolean]>([
  [{}, {}, true],
  [{ firstSeen: noon + 1 }, {}, false],
  [{ firstSeen: noon - 1 }, { previousAt: null }, true],
  [{}, { previousAt: null }, false],
  [{ rankBefore: 1 }, {}, true],
  [{ rankBefore: 2 }, {}, false],
  [{ threat: warning }, {}, true],
  [{ threat: warning, rankBefore: 1 }, {}, false],
  [{ threat: { ...threat, source: 'feed_drop' } }, {}, false],
])('a changed verdict %j by %j: noted %s', async (flow, by, isNoted) => {
  await using log = openConnectionLog();
  await log.record([{ src, dst, at: noon }]);
  const verdict = {
    id: 1,
    sourceId: 1,
    destinationId: 1,
    firstSeen: noon,
    rankBefore: 0,
    threat,
    ...flow,
  } satisfies ChangedVerdict;
  const listed = { ...change, ...by };
  const note = (one: ChangedVerdict) =>
    log.db.write((writer) => {
      createRetroNoter({ feed_ioc: listed })(writer)(one);
      return hasRetroMatch(writer, src, dst);
    });
  expect(await note(verdict)).toBe(isNoted);
  expect(log.db.prepare('SELECT * FROM retro_match').all()).toEqual(
    isNoted
      ? [
          {
            ...{ flow_id: 1, source_id: 1, destination_id: 1, pending: 1, feed: 'feed_ioc', cause: 'list' },
            ...{ previous_at: listed.previousAt, listed_at: listed.listedAt },
          },
        ]
      : [],
  );
  expect(await note({ ...verdict, threat: null })).toBe(false);
});

/** Flows of one pair, each second one a warning; their times are mixed, their ports are from 1 on. */
async function openPair(flows: number) {
  const log = openConnectionLog();
  const ports = Array.from({ length: flows }, (_, index) => index + 1);
  const lastSeen = (dport: number) => noon + ((dport * 7919) % 100) * minute;
  await log.record(
    ports.map((dport) => ({ src, dst, dport, at: lastSeen(dport), startedAt: lastSeen(dport) - dport })),
    { now: noon + 100 * minute },
  );
  await log.record([{ src: other, dst: second, at: noon }]);
  await log.judge(dst, threat);
  await log.judge(second, threat);
  await log.db.write((writer) => {
    writer.prepare(`UPDATE threat SET level = 2`).run();
    const { id } = writer
      .prepare(
        `INSERT INTO threat (level, confidence, source, tag, match_type, match_value)
         VALUES (1, 'low', 'feed_url', NULL, 'domain', 'x') RETURNING id`,
      )
      .get() as { id: number };
    writer.prepare('UPDATE flow SET threat_id = ? WHERE dport % 2 = 0').run(id);
    writer
      .prepare(
        `INSERT INTO retro_match (flow_id, source_id, destination_id, feed, cause, previous_at, listed_at)
         SELECT id, source_id, destination_id, 'feed_ioc', 'list', 5, 7 FROM flow`,
      )
      .run();
  });
  const flowsOfPair = log.db
    .prepare('SELECT dport, first_seen AS firstSeen, last_seen AS lastSeen FROM flow WHERE id <= ? ORDER BY id')
    .all(flows) as { dport: number; firstSeen: number; lastSeen: number }[];
  return {
    ...{ log, flows: flowsOfPair },
    take: (now: number): Promise<{ value: RetroCard | null; yields: number }> =>
      log.db.write((writer) => {
        const [pair] = readPairsWithoutCard(writer, 1);
        return count(takeCard(writer, pair ?? { sourceId: 0, destinationId: 0 }, { now, ongoingMs: minute }));
      }),
  };
}

const pending = ({ db }: ConnectionLog) =>
  db.prepare('SELECT count(*) FROM retro_match WHERE pending = 1').pluck().get();

test.each([1, 2, 20, 21, 199, 200, 201, 400])(
  'the card of %i flows counts all of them, and shows the most severe and latest twenty',
  async (many) => {
    const { log, flows, take } = await openPair(many);
    await using _ = log;
    const isWarning = (dport: number) => Number(dport % 2 === 0);
    const byRank = flows.toSorted(
      (a, b) => isWarning(a.dport) - isWarning(b.dport) || b.lastSeen - a.lastSeen || a.dport - b.dport,
    );
    const [firstSeen, lastSeen] = [flows.map((one) => one.firstSeen), flows.map((one) => one.lastSeen)];
    const last = Math.max(...lastSeen);
    const { value: card, yields } = await take(last + minute);
    expect(card).toEqual({
      ...{ type: 'retro_match', at: last + minute, src, dst, dport: byRank[0]?.dport, proto: 'TCP', threat },
      retro: {
        ...{ flows: many, firstSeen: Math.min(...firstSeen), lastSeen: last, isOngoing: true },
        connections: byRank
          .slice(0, 20)
          .map((one) => ({ id: `${src},${dst},${one.dport},TCP`, firstSeen: one.firstSeen, lastSeen: one.lastSeen })),
        ...{ feed: 'feed_ioc', cause: 'list', previousAt: 5, listedAt: 7, level: 'danger' },
      },
    });
    expect(yields).toBe(Math.floor(many / 200) + 1 + Math.ceil(many / 200));
    expect([pending(log), readPairsWithoutCard(log.db, 9)]).toEqual([1, [{ sourceId: 2, destinationId: 2 }]]);
  },
);

test('traffic up to the bound goes on; a pair whose flows are safe again gets no card', async () => {
  const { log, flows, take } = await openPair(1);
  await using _ = log;
  await log.db.write((writer) => void writer.prepare('UPDATE flow SET threat_id = NULL WHERE id = 1').run());
  expect((await take(noon)).value).toBe(null);
  expect(pending(log)).toBe(1);
  await log.db.write((writer) => {
    writer.prepare('UPDATE retro_match SET pending = (flow_id = 1)').run();
    writer.prepare('UPDATE flow SET threat_id = (SELECT id FROM threat WHERE level = 1) WHERE id = 1').run();
  });
  const { value: card } = await take((flows[0]?.lastSeen ?? 0) + minute + 1);
  expect(card?.retro).toMatchObject({ isOngoing: false, level: 'warn' });
  expect(card?.threat).toMatchObject({ level: 'warn', confidence: 'low', source: 'feed_url', matchType: 'domain' });
});

test.each([99, 100, 101, 200])('of %i cards from a clock that was ahead each is corrected', async (many) => {
  await using log = openConnectionLog();
  const now = noon;
  const card = (at: number): RetroMatch => ({
    ...{ flows: 1, connections: [], firstSeen: at, lastSeen: at, feed: 'feed_c2', level: 'warn', isOngoing: true },
    ...{ cause: 'list', previousAt: at, listedAt: at },
  });
  const { value, yields } = await log.db.write((writer) => {
    for (let index = 0; index < many; index += 1) {
      const detected = { type: 'retro_match', at: now, src, retro: card(now + (index % 2)) } as const;
      insertDetection(writer, detected, readLabels(writer, detected), null);
    }
    return count(clampRetroMatches(writer, now));
  });
  expect([value, yields]).toEqual([Math.floor(many / 2), Math.floor(many / 100) + 1]);
  const stored = log.db.prepare('SELECT DISTINCT retro FROM detection').pluck().all();
  expect(stored).toEqual([JSON.stringify(card(now))]);
});
