// A loop of steps: when each begins, what ends a rest, when it is settled, and how it ends. In virtual time.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startWorkLoop } from '#kernel/time/work-loop.ts';
import { ManualClock } from '../support/manual-clock.ts';

const second = 1000;
/** A rest that a step asks for, in seconds; a failing step asks for it through `failed`. */
const script = fc.array(fc.record({ restS: fc.option(fc.integer({ min: 2, max: 500 })), fails: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
});
/** In milliseconds, each with a rest of its own within its second: no wake falls on the end of a rest, where either may come first. */
const wakes = fc
  .uniqueArray(fc.integer({ min: 1, max: 3000 }), { maxLength: 12 })
  .map((all) => all.sort((a, b) => a - b).map((at, index) => at * second + index + 1));

/** When each step begins, in milliseconds: at the end of its rest or at the first wake before, and never after the script. */
function expectedStarts(steps: readonly { restS: number | null }[], wakesMs: readonly number[], firstS: number | null) {
  const starts: number[] = [];
  let at = 0;
  let restS = firstS;
  for (const step of steps) {
    const over = restS === null ? Number.POSITIVE_INFINITY : at + restS * second;
    const woken = wakesMs.find((one) => one > at) ?? Number.POSITIVE_INFINITY;
    at = Math.min(over, woken);
    if (!Number.isFinite(at)) {
      break;
    }
    starts.push(at);
    restS = step.restS;
  }
  return starts;
}

test('each step begins when the rest before it is over or somebody wakes the loop, failed ones included', async () => {
  await fc.assert(
    fc.asyncProperty(script, wakes, fc.option(fc.integer({ min: 2, max: 500 })), async (steps, wakesMs, firstS) => {
      const clock = new ManualClock();
      const begun = clock.now();
      const starts: number[] = [];
      const failures: unknown[] = [];
      const next = () => steps[starts.length - 1] ?? { restS: null, fails: false };
      {
        await using loop = startWorkLoop({
          clock,
          firstRestMs: firstS === null ? null : firstS * second,
          async step() {
            starts.push(clock.now() - begun);
            const { restS, fails } = next();
            if (fails) {
              throw new Error(`step ${starts.length}`);
            }
            return restS === null ? null : restS * second;
          },
          failed(error) {
            failures.push(error);
            const { restS } = next();
            return restS === null ? null : restS * second;
          },
        });
        for (const at of wakesMs) {
          await clock.advance(begun + at - clock.now());
          loop.wake();
          await loop.settled();
        }
        await clock.advance(5000 * second);
      }
      const expected = expectedStarts(steps, wakesMs, firstS);
      expect(starts.slice(0, steps.length)).toEqual(expected);
      expect(failures).toHaveLength(steps.slice(0, expected.length).filter(({ fails }) => fails).length);
      expect(clock.sleeping).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('a wake during a step is followed by a step at once, and steps never overlap', async () => {
  const clock = new ManualClock();
  let running = 0;
  let most = 0;
  let steps = 0;
  const held = Promise.withResolvers<void>();
  await using loop = startWorkLoop({
    clock,
    async step() {
      running += 1;
      steps += 1;
      most = Math.max(most, running);
      await (steps === 1 ? held.promise : undefined);
      running -= 1;
      return null;
    },
    failed: () => null,
  });
  let isSettled = false;
  const settled = loop.settled().then(() => {
    isSettled = true;
  });
  loop.wake();
  loop.wake();
  await clock.advance(3600 * second);
  expect([steps, isSettled]).toEqual([1, false]);
  held.resolve();
  await settled;
  expect([steps, most]).toEqual([2, 1]);
  loop.wake();
  await loop.settled();
  expect(steps).toBe(3);
});

test('a step that asks for no rest is followed by the next one, and the loop is not settled between them', async () => {
  const clock = new ManualClock();
  let left = 5;
  await using loop = startWorkLoop({
    clock,
    async step() {
      await new Promise(setImmediate);
      left -= 1;
      return left > 0 ? 0 : null;
    },
    failed: () => null,
  });
  await loop.settled();
  expect(left).toBe(0);
});

test('an end aborts the step, waits for it, and does not report how it failed', async () => {
  const clock = new ManualClock();
  const seen: string[] = [];
  const loop = startWorkLoop({
    clock,
    step: (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () =>
          setImmediate(() => {
            seen.push('step over');
            reject(new Error('aborted'));
          }),
        ),
      ),
    failed: () => {
      seen.push('reported');
      return 0;
    },
  });
  await loop[Symbol.asyncDispose]();
  expect(seen).toEqual(['step over']);
  await loop.settled();
  loop.wake();
  expect(clock.sleeping).toBe(0);
});

test('an end during a rest starts no further step', async () => {
  const clock = new ManualClock();
  let steps = 0;
  const loop = startWorkLoop({
    clock,
    async step() {
      steps += 1;
      return 60 * second;
    },
    failed: () => null,
  });
  await loop.settled();
  await loop[Symbol.asyncDispose]();
  await clock.advance(3600 * second);
  expect([steps, clock.sleeping]).toEqual([1, 0]);
});
