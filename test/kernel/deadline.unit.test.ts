// Deadlines: work that has one is not begun by whoever has left already.
import { expect, test } from 'vitest';
import { withDeadline } from '#kernel/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

const late = () => new Error('too late');

test('a signal that was aborted before is the reason, and the work is not begun', async () => {
  const left = new Error('nobody waits any more');
  const begun: string[] = [];
  const work = async () => {
    begun.push('work');
    return 'done';
  };
  await expect(withDeadline(new ManualClock(), 60_000, late, AbortSignal.abort(left), work)).rejects.toBe(left);
  expect(begun).toEqual([]);
});

test('the signal of the work is aborted with the reason when the time has passed', async () => {
  const clock = new ManualClock();
  const seen: unknown[] = [];
  const running = withDeadline(clock, 60_000, late, undefined, (signal) => {
    signal.addEventListener('abort', () => seen.push(signal.reason));
    return new Promise<never>(() => {});
  });
  const ended = expect(running).rejects.toThrow('too late');
  await clock.advance(60_000);
  await ended;
  expect(seen).toEqual([new Error('too late')]);
});
