// The backup schedule against a model of it in virtual time: intervals, failures, generations that come and go, clocks that
// are put back.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { startSchedule } from '#hub/base/storage/backup/schedule.ts';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

type Step =
  | { does: 'wait'; minutes: number }
  | { does: 'put back'; minutes: number }
  | { does: 'break' | 'mend' | 'lose all' | 'add a migration' }
  | { does: 'set interval'; hours: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait' as const), minutes: fc.constantFrom(1, 30, 59, 60, 61) }),
  },
  fc.record({ does: fc.constant('put back' as const), minutes: fc.constantFrom(1, 45, 180) }),
  fc.record({ does: fc.constantFrom('break', 'break', 'mend', 'lose all', 'add a migration') }),
  fc.record({ does: fc.constant('set interval' as const), hours: fc.constantFrom(1, 2, 3) }),
);

/** What the schedule promises, minute by minute: it is looked 30 s after its start and every minute from then on. */
class Model {
  tries: number[] = [];
  /** When the generations were made. One of a clock that was ahead by more than five minutes keeps no other one away. */
  made: number[] = [];
  failedAt: number | null = null;
  hours = 2;
  warns = false;
  isBroken = false;

  look(now: number): void {
    const isPast = (at: number | null, ms: number) => at === null || at > now || now >= at + ms;
    const newest = Math.max(...this.made.filter((at) => at <= now + 5 * minuteMs));
    if (isPast(this.failedAt, hourMs) && now - newest >= this.hours * hourMs) {
      this.tries.push(now);
      this.failedAt = this.isBroken ? now : this.failedAt;
      this.warns = this.isBroken;
      this.made.push(...(this.isBroken ? [] : [now]));
    }
  }
}

async function runSchedule(steps: readonly Step[]): Promise<void> {
  using folder = temporaryFolder();
  const clock = new ManualClock();
  const model = new Model();
  const { log, lines } = collectLog('error');
  const tries: number[] = [];
  const make = (kind: number | null) =>
    writeFileSync(path.join(folder.path, createGenerationName(clock.now(), kind)), 'x');
  await using schedule = startSchedule({
    ...{ clock, log, folder: folder.path, config: () => ({ intervalHours: model.hours }) },
    async create() {
      tries.push(clock.now());
      if (model.isBroken) {
        throw new Error('no room');
      }
      make(null);
    },
  });
  let failures = 0;
  const compare = () => {
    expect(tries).toEqual(model.tries);
    expect(schedule.warning()?.sentence ?? null).toBe(
      model.warns ? 'the scheduled backup failed (no room): it is tried again in an hour' : null,
    );
    expect(lines.length).toBe(failures);
  };
  const advance = async (ms: number) => {
    await clock.advance(ms);
    const before = model.tries.length;
    model.look(clock.now());
    failures += model.isBroken ? model.tries.length - before : 0;
    compare();
  };
  await clock.advance(29_999);
  compare();
  await advance(1);
  for (const one of steps) {
    if (one.does === 'wait') {
      for (let minute = 0; minute < one.minutes; minute += 1) {
        await advance(minuteMs);
      }
    } else if (one.does === 'put back') {
      clock.put(clock.now() - one.minutes * minuteMs);
    } else if (one.does === 'set interval') {
      model.hours = one.hours;
    } else if (one.does === 'add a migration') {
      make(17);
    } else if (one.does === 'lose all') {
      readdirSync(folder.path).forEach((name) => void rmSync(path.join(folder.path, name)));
      model.made = [];
    } else {
      model.isBroken = one.does === 'break';
    }
  }
}

test('backups are made when the model of the schedule says so, and at no other time', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), runSchedule), {
    numRuns: 5,
    seed: 8,
    examples: [
      // An hour to the minute between two tries; the interval to the minute after it works again.
      [
        [
          { does: 'break' },
          { does: 'lose all' },
          { does: 'wait', minutes: 59 },
          { does: 'wait', minutes: 61 },
          { does: 'mend' },
          { does: 'wait', minutes: 61 },
          { does: 'wait', minutes: 61 },
          { does: 'wait', minutes: 60 },
        ],
      ],
      // A copy from before a migration is no backup of the schedule.
      [[{ does: 'wait', minutes: 61 }, { does: 'add a migration' }, { does: 'wait', minutes: 61 }]],
      // Right after a try that failed the clock is put back: the next look tries again.
      [
        [
          { does: 'lose all' },
          { does: 'break' },
          { does: 'wait', minutes: 1 },
          { does: 'put back', minutes: 180 },
          { does: 'wait', minutes: 1 },
        ],
      ],
    ],
  });
});

test('a backup that the stop of the hub ended did not fail', async () => {
  using folder = temporaryFolder();
  const clock = new ManualClock();
  const { log, lines } = collectLog('debug');
  const stopped = Promise.withResolvers<never>();
  const schedule = startSchedule({
    ...{ clock, log, folder: folder.path, config: () => ({ intervalHours: 1 }), create: () => stopped.promise },
  });
  await clock.advance(30_000);
  const ended = schedule[Symbol.asyncDispose]();
  stopped.reject(new Error('the hub is stopping'));
  await ended;
  expect([schedule.warning(), lines]).toEqual([null, []]);
});
