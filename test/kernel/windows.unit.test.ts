// Windows of requests: what they say about themselves, and how many keys they keep.
import { expect, test } from 'vitest';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('a look says what the next take would, and takes nothing', async () => {
  const clock = new ManualClock();
  const begun = clock.now();
  const window = new FixedWindowLimiter(clock, 2, 60_000);
  const closesAt = (at: number) => ({ limit: 2, resetAt: at });
  expect(window.look('a')).toEqual({ allowed: true, remaining: 2, ...closesAt(begun + 60_000) });
  await clock.advance(10_000);
  expect(window.take('a')).toEqual({ allowed: true, remaining: 1, ...closesAt(begun + 70_000) });
  await clock.advance(10_000);
  expect(window.look('a')).toEqual({ allowed: true, remaining: 1, ...closesAt(begun + 70_000) });
  window.take('a');
  const over = { allowed: false, remaining: 0, ...closesAt(begun + 70_000) };
  expect([window.look('a'), window.take('a'), window.look('a')]).toEqual([over, over, over]);
  expect(window.look('b').allowed).toBe(true);
  await clock.advance(50_000);
  expect(window.look('a')).toEqual({ allowed: true, remaining: 2, ...closesAt(begun + 130_000) });
});

test('the time to its end goes down to nothing', async () => {
  const clock = new ManualClock();
  const window = new FixedWindowLimiter(clock, 1, 60_000);
  const taken = window.take('a');
  expect(window.remainingMs(taken)).toBe(60_000);
  await clock.advance(45_000);
  expect(window.remainingMs(taken)).toBe(15_000);
  await clock.advance(45_000);
  expect(window.remainingMs(taken)).toBe(0);
});

test('as many keys as its cap are kept, and one that is known needs no room', () => {
  const window = new FixedWindowLimiter(new ManualClock(), 1, 60_000, 2);
  for (const key of ['a', 'b', 'a', 'b']) {
    window.take(key);
  }
  expect(['a', 'b'].map((key) => window.look(key).allowed)).toEqual([false, false]);
  const large = new FixedWindowLimiter(new ManualClock(), 1, 60_000);
  for (let key = 0; key < 20_000; key += 1) {
    large.take(String(key));
  }
  expect(large.look('0').allowed).toBe(false);
  large.take('20000');
  expect([large.look('0').allowed, large.look('1').allowed]).toEqual([true, false]);
});
