// Work that repeats: when it runs, what a failure does, and how it ends.
import { expect, test } from 'vitest';
import { startJob } from '#kernel/time/job.ts';
import { collectLog } from '../support/log-lines.ts';
import { ManualClock } from '../support/manual-clock.ts';

const minute = 60_000;

test('it runs first when asked, then every so often; a failure is logged and the next turn comes', async () => {
  const clock = new ManualClock();
  const begun = clock.now();
  const { log, lines } = collectLog('debug');
  const runs: number[] = [];
  {
    await using _job = startJob(clock, log, {
      name: 'the upkeep',
      everyMs: 10 * minute,
      firstMs: 2 * minute,
      async run() {
        runs.push((clock.now() - begun) / minute);
        if (runs.length === 1) {
          throw new Error('broken');
        }
      },
    });
    await clock.advance(25 * minute);
  }
  expect(runs).toEqual([2, 12, 22]);
  expect(lines).toMatchObject([{ level: 50, msg: 'the upkeep failed', err: { message: 'broken' } }]);
  expect(clock.sleeping).toBe(0);
  await clock.advance(60 * minute);
  expect(runs).toHaveLength(3);
});

test('without a first time it waits the whole time', async () => {
  const clock = new ManualClock();
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  await using _job = startJob(clock, collectLog('debug').log, { name: 'the upkeep', everyMs: 10 * minute, run });
  await clock.advance(10 * minute - 1);
  expect(runs).toBe(0);
  await clock.advance(1);
  expect(runs).toBe(1);
});

test('a run under way is told to stop and waited for; that it fails then is not logged', async () => {
  const clock = new ManualClock();
  const { log, lines } = collectLog('debug');
  const seen: unknown[] = [];
  const end = Promise.withResolvers<void>();
  const job = startJob(clock, log, {
    name: 'the upkeep',
    everyMs: 10 * minute,
    async run(signal) {
      signal.addEventListener('abort', () => seen.push('told to stop'));
      await end.promise;
      seen.push('ended');
      throw new Error('stopped');
    },
  });
  await clock.advance(10 * minute);
  const disposed = job[Symbol.asyncDispose]().then(() => seen.push('disposed'));
  await clock.advance(minute);
  expect(seen).toEqual(['told to stop']);
  end.resolve();
  await disposed;
  expect(seen).toEqual(['told to stop', 'ended', 'disposed']);
  expect([lines, clock.sleeping]).toEqual([[], 0]);
});
