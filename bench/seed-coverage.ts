// Coverage of ten routers, four feeds and two Agents over the two weeks of a seeded log: one read in a hundred fails, one
// router fails every other read of a day, another one was silent for an hour.
import type { CoverageKind } from '#contract/coverage.ts';
import { createPollCoverage } from '#hub/record/coverage/polls.ts';
import { addSpan, ensureSubject } from '#hub/record/coverage/span.ts';
import { joinDays } from '#hub/record/coverage/upkeep.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import type { Dice } from '../test/support/random-log.ts';

const routers = 10;

const subjectOf = (kind: CoverageKind, index: number) => ({
  kind,
  key: `bench-${kind}-${index}`,
  name: `${kind} ${index}`,
  cannotSee: [],
});

/** Reads as the hub notes them; `joinDays` as its upkeep does. */
export async function seedCoverage(db: Db, start: number, end: number, dice: Dice): Promise<void> {
  const cover = createPollCoverage({ intervalMs: minuteMs, startedAt: start });
  for (let index = 0; index < routers; index += 1) {
    const router = subjectOf('router', index);
    const fails = (at: number) => {
      const isFlapping = index === 1 && at - start < dayMs && Math.floor(at / minuteMs) % 4 < 3;
      const isSilent = index === 2 && at - start > 5 * dayMs && at - start < 5 * dayMs + hourMs;
      return isFlapping || isSilent || dice.chance(0.01);
    };
    await db.write(function* (writer) {
      let failure: string | null = null;
      for (let at = start + index * 6000; at <= end; at += minuteMs) {
        if (fails(at)) {
          failure = 'timed_out';
        } else {
          yield* cover({ router, at, isComplete: true, missed: 0, failure })(writer);
          failure = null;
        }
        yield;
      }
    });
  }
  await db.write(function* (writer) {
    for (const [kind, count] of [
      ['feed', 4],
      ['agent', 2],
    ] as const) {
      for (let index = 0; index < count; index += 1) {
        const subject = ensureSubject(writer, subjectOf(kind, index));
        addSpan(writer, subject, { since: start, until: end, isSeen: true, reason: null });
      }
    }
    yield* joinDays(writer, end);
  });
}

/** Bytes of the pages of coverage. */
export function coverageBytes(db: Db): number {
  return Number(db.prepare("SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%coverage%'").pluck().get());
}
