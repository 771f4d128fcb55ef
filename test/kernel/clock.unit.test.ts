// Instants, calendar times and waits.

import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import {
  calendar,
  elapsed,
  hasPassed,
  isoTime,
  parseIsoTime,
  stopwatch,
  systemClock,
  toDate,
  utcTime,
  withDeadline,
  yieldToEventLoop,
} from '#kernel/time/clock.ts';
import { dayMs, hourMs, hourOf } from '#kernel/time/time.ts';
import { ManualClock } from '../support/manual-clock.ts';

const at = Date.UTC(2026, 1, 28, 23, 59, 58);

test.each([
  ['2026-02-28T23:59:58Z', at],
  ['2026-02-28t23:59:58z', at],
  ['2026-02-28T23:59:58.5Z', at + 500],
  ['2026-02-28T23:59:58.123456789Z', at + 123],
  ['2026-03-01T00:59:58+01:00', at],
  ['2026-02-28T18:29:58-05:30', at],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
])('%s is an instant', (text, instant) => expect(parseIsoTime(text)).toBe(instant));

test.each([
  '',
  '2026-02-28',
  '2026-02-28T23:59:58',
  '2026-02-28 23:59:58Z',
  '2026-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-02-28T25:00:00Z',
  '2026-02-28T23:60:00Z',
  '2026-02-28T23:59:58.Z',
  '2026-02-28T23:59:58.xZ',
  '2026-02-28T23:59:58.1234567890Z',
  '2026-02-28T23:59:58+0100',
  '2026-02-28T23:59:58Zx',
  'x2026-02-28T23:59:58Z',
  '12026-02-28T23:59:58Z',
])('%j is none', (text) => expect(parseIsoTime(text)).toBeNull());

test('calendar times and instants are made of each other', () => {
  expect(utcTime(2026, 2, 28, 23, 59, 58)).toBe(at);
  expect(utcTime(2026, 2, 28)).toBe(Date.UTC(2026, 1, 28));
  expect(isoTime(at)).toBe('2026-02-28T23:59:58.000Z');
  expect(toDate(at).getTime()).toBe(at);
  expect(calendar(at)).toEqual({ year: 2026, month: 2, day: 28, weekday: 6, hour: 23, minute: 59, second: 58 });
  const later = { year: 2026, month: 3, day: 1, weekday: 0, hour: 0, minute: 59, second: 58 };
  expect(calendar(at, 3_600_000)).toEqual(later);
});

test('what is still to come was for ever ago', () => {
  expect([elapsed(5, 8), elapsed(8, 8), elapsed(9, 8)]).toEqual([3, 0, Number.POSITIVE_INFINITY]);
});

test('now is the time of this computer, and a stopwatch begins at nothing', async () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
  const begun = performance.now();
  const watch = stopwatch();
  await systemClock.sleep(20);
  const seen = watch();
  expect(seen).toBeGreaterThan(15);
  expect(seen).toBeLessThanOrEqual(performance.now() - begun);
});

test('a sleep ends by the reason of its signal, whether that was aborted before or meanwhile, and leaves it', async () => {
  const left = new Error('nobody waits any more');
  await expect(systemClock.sleep(3_600_000, AbortSignal.abort(left))).rejects.toBe(left);
  const leave = new AbortController();
  const sleep = systemClock.sleep(3_600_000, leave.signal);
  leave.abort(left);
  await expect(sleep).rejects.toBe(left);
  expect(getEventListeners(leave.signal, 'abort')).toEqual([]);
  await expect(systemClock.sleep(1, new AbortController().signal)).resolves.toBeUndefined();
});

test('what waits on the event loop runs before the next turn', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('waited'));
  await yieldToEventLoop();
  expect(seen).toEqual(['waited']);
});

const late = () => new Error('too late');

test('work in time has its own outcome, with an outer signal and without', async () => {
  const clock = new ManualClock();
  const outer = new AbortController();
  const broken = new Error('broken');
  expect(await withDeadline(clock, 60_000, late, outer.signal, async () => 'done')).toBe('done');
  expect(await withDeadline(clock, 60_000, late, undefined, async () => 'done')).toBe('done');
  await expect(withDeadline(clock, 60_000, late, undefined, () => Promise.reject(broken))).rejects.toBe(broken);
});

test('the signal of the work is aborted when the outer one is, and by the deadline alone without it', async () => {
  const clock = new ManualClock();
  const outer = new AbortController();
  const seen: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    seen.push(signal);
    return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const running = withDeadline(clock, 60_000, late, outer.signal, work);
  const expiring = withDeadline(clock, 60_000, late, new AbortController().signal, work);
  const ended = expect(running).rejects.toThrow('left');
  outer.abort(new Error('left'));
  await ended;
  await yieldToEventLoop();
  expect(seen.map(({ aborted }) => aborted)).toEqual([true, false]);
  const expired = expect(expiring).rejects.toThrow('too late');
  await clock.advance(59_999);
  expect(seen[1]?.aborted).toBe(false);
  await clock.advance(1);
  await expired;
  expect(seen[1]?.reason).toEqual(new Error('too late'));
});

test('the deadline is the reason, also where the work fails at once with words of its own when it is aborted', async () => {
  const clock = new ManualClock();
  const running = withDeadline(clock, 60_000, late, undefined, (signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(new Error('the operation was aborted')));
    return promise;
  });
  const ended = expect(running).rejects.toThrow('too late');
  await clock.advance(60_000);
  await ended;
});

test('a time that has passed is told from one that was given up', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const passed = hasPassed(clock, 1000, stop.signal);
  await clock.advance(1000);
  expect(await passed).toBe(true);
  const givenUp = hasPassed(clock, 1000, stop.signal);
  stop.abort();
  expect(await givenUp).toBe(false);
  expect(await hasPassed(clock, 1000, stop.signal)).toBe(false);
  expect(clock.sleeping).toBe(0);
});

test('a wait of 60 days is as long, though one timer of Node holds 24', async () => {
  vi.useFakeTimers();
  try {
    const ended = vi.fn();
    void systemClock.sleep(60 * dayMs).then(ended);
    await vi.advanceTimersByTimeAsync(60 * dayMs - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalled();
    const aborted = new AbortController();
    const stopped = expect(systemClock.sleep(60 * dayMs, aborted.signal)).rejects.toBe('enough');
    await vi.advanceTimersByTimeAsync(59 * dayMs);
    aborted.abort('enough');
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('an instant lies in the hour that began last', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1_000_000 }), fc.nat(hourMs - 1), (hour, ms) => {
      expect(hourOf(hour * hourMs + ms)).toBe(hour);
    }),
  );
});
