// The limit of size: what a run leaves of any log is exactly its newest part, also when a write was refused in the middle.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { emptySettings } from '#hub/base/settings/schema.ts';
import { findKeptSince, measureUsedBytes } from '#hub/base/storage/kept-since.ts';
import { measureGrowth } from '#hub/record/connections/upkeep/growth.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { applyRetention } from '#hub/record/connections/upkeep/retention.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, seen } from '../../../support/connection-log.ts';
import { hourRows } from '../../../support/hour-rows.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { verifies } from '../../../support/verifies.ts';

const day = 24 * hour;
const toHour = (at: number) => Math.floor(at / hour);
const lastSeen = ({ db }: ConnectionLog) =>
  db.prepare('SELECT last_seen FROM flow ORDER BY last_seen').pluck().all() as number[];

interface FilledHour {
  ago: number;
  /** Flows that are seen in this hour alone. */
  flows: number;
  /** Flows that other hours have too. */
  repeats: number;
}

/** Replaces the log by these hours, packed except the newest two. */
async function fillLog(log: ConnectionLog, hours: readonly FilledHour[]) {
  await log.db.write((writer) => void writer.prepare('DROP TRIGGER IF EXISTS by_test').run());
  await log.clear();
  await log.db.write((writer) => {
    for (const table of ['flow_hour_pack', 'flow_change', 'retention']) {
      writer.prepare(`DELETE FROM ${table}`).run();
    }
  });
  for (const { ago, flows, repeats } of hours.toSorted((a, b) => b.ago - a.ago)) {
    const at = noon - ago * hour;
    const own = Array.from({ length: flows }, (_, dport) => seen({ at, dport, dst: `203.0.${ago}.1` }));
    const known = Array.from({ length: repeats }, (_, dport) => seen({ at, dport }));
    await log.record([...own, ...known]);
  }
  await packHours(log.db, noon - 2 * hour);
  return { rows: hourRows(log.db), seen: lastSeen(log), used: measureUsedBytes(log.db) };
}

/** The retention of a log whose limit and days are given; `run` moves the clock to its next run. */
function createScene({ db }: ConnectionLog, { limit, days }: { limit: number; days: number }) {
  const clock = new ManualClock(noon);
  const settings = { current: () => ({ general: { ...emptySettings().general, retentionDays: days } }) };
  const keptSince = () => findKeptSince({ clock, db, settings: settings as never });
  const { log } = collectLog('error');
  const cuts: number[] = [];
  return {
    ...{ clock, keptSince, cuts },
    async run() {
      clock.jump(clock.now() + limits.retentionEveryMs);
      await applyRetention({
        ...{ db, clock, log, keptSince, limitBytes: () => limit },
        *forgetCoverage(_, cut) {
          expect(measureUsedBytes(db), 'nothing is removed before it has to be').toBeGreaterThan(limit);
          const isWhole = cut % day === 0 || cut === toHour(clock.now() - day) * hour;
          expect(isWhole, 'whole days, or all but the newest 24 hours').toBe(true);
          cuts.push(cut);
          yield;
        },
      });
    },
  };
}

const filledHours = fc.uniqueArray(
  fc.record({ ago: fc.nat(9 * 24), flows: fc.integer({ min: 1, max: 120 }), repeats: fc.nat(20) }),
  { selector: ({ ago }) => ago, minLength: 3, maxLength: 25 },
);

verifies(
  'rest.settings.retention-bytes',
  'what is left is at most the limit and exactly the newest part, and days still bound',
  async () => {
    await using log = openConnectionLog();
    const { db } = log;
    const empty = measureUsedBytes(db);
    const outcomes = { refused: 0, bySize: 0, byDays: 0, floor: 0 };
    const check = async (hours: FilledHour[], share: number, days: number, refusedAgo: number | null) => {
      const before = await fillLog(log, hours);
      const limit = Math.round(empty + (before.used - empty) * share);
      const scene = createScene(log, { limit, days });
      const expectNewestPart = () => {
        const first = toHour(scene.keptSince());
        const isKept = ({ hour: at }: { hour: number }) => at >= first;
        const isSeen = (at: number) => at >= first * hour;
        const left = { rows: hourRows(db), seen: lastSeen(log) };
        // Nothing of the kept part is gone.
        expect(left.rows.filter(isKept)).toEqual(before.rows.filter(isKept));
        expect(left.seen.filter(isSeen)).toEqual(before.seen.filter(isSeen));
        expect(scene.keptSince()).toBeGreaterThanOrEqual(Math.max(...scene.cuts, scene.clock.now() - days * day));
        return left.rows.every(isKept) && left.seen.every(isSeen);
      };
      await db.write((writer) => {
        const at = toHour(noon) - (refusedAgo ?? -1);
        const refuse = `BEFORE DELETE ON flow_hour_pack WHEN OLD.hour = ${at} BEGIN SELECT RAISE(ABORT, 'no'); END`;
        writer.prepare(`CREATE TRIGGER by_test ${refuse}`).run();
      });
      try {
        await scene.run();
      } catch (error) {
        expect(error).toMatchObject({ code: 'SQLITE_CONSTRAINT_TRIGGER' });
        outcomes.refused += 1;
        expectNewestPart();
        await db.write((writer) => void writer.prepare('DROP TRIGGER by_test').run());
        await scene.run();
      }
      expect(expectNewestPart()).toBe(true);
      const floor = toHour(scene.clock.now() - day);
      const isOver = measureUsedBytes(db) > limit;
      expect(isOver && hourRows(db).some((row) => row.hour < floor)).toBe(false);
      outcomes.floor += Number(isOver);
      outcomes.bySize += Number(scene.cuts.length > 0);
      outcomes.byDays += Number(scene.keptSince() === scene.clock.now() - days * day);
      const { length } = scene.cuts;
      await scene.run();
      expect(isOver || scene.cuts.length === length, 'a run that is not needed removes nothing').toBe(true);
    };
    const share = fc.double({ min: 0, max: 1.1, noNaN: true });
    const refused = fc.option(fc.integer({ min: 24, max: 9 * 24 }));
    await fc.assert(fc.asyncProperty(filledHours, share, fc.constantFrom(1, 3, 7, 30), refused, check), {
      numRuns: 40,
      examples: [
        [[30, 60, 90].map((ago) => ({ ago, flows: 90, repeats: 3 })), 0.2, 30, 90],
        [[3, 10, 20].map((ago) => ({ ago, flows: 90, repeats: 3 })), 0, 30, null],
      ],
    });
    expect(Object.entries(outcomes).filter(([, count]) => count === 0)).toEqual([]);
  },
);

test('bytes a day are those by which whole days have made the database larger', async () => {
  await using log = openConnectionLog();
  const { db } = log;
  const begin = noon - (noon % day);
  const sizes: number[] = [];
  const growthAt = (now: number) => measureGrowth(db as never, { now }).bytesPerDay;
  expect(growthAt(noon)).toBeNull();
  for (let index = 0; index < 10 * 24; index += 1) {
    const at = begin + index * hour;
    const regular = Array.from({ length: 40 }, (_, dport) => seen({ at, dport }));
    const others = Array.from({ length: 60 }, (_, one) =>
      seen({ at, dst: `203.${Math.floor(index / 24)}.${index % 24}.${one}` }),
    );
    await log.record([...regular, ...others]);
    await log.db.write((writer) => void writer.prepare('DELETE FROM flow_change').run());
    await packHours(db, at + hour);
    if (index === 22) {
      expect(growthAt(at + hour)).toBeNull();
    }
    if ((index + 1) % 24 === 0) {
      sizes.push(measureUsedBytes(db));
    }
  }
  const week = ((sizes[9] as number) - (sizes[2] as number)) / 7;
  const measured = growthAt(begin + 10 * day) as number;
  expect(Math.abs(measured / week - 1)).toBeLessThan(0.1);
});
