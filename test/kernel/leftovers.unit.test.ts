// Waits leave nothing when they are over: no listener on a signal that lives on, no timer, no sleeper.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { nextTurn, systemClock, withDeadline } from '#kernel/clock.ts';
import { Slots } from '#kernel/limiter.ts';
import { shareWork } from '#kernel/shared-work.ts';
import { ManualClock } from '../support/manual-clock.ts';

const late = () => new Error('too late');
const hour = 3_600_000;

const waits: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'a sleep': (signal) => systemClock.sleep(1, signal),
  'work that is shared': shareWork(() => nextTurn()),
  'shared work that fails': shareWork(() => nextTurn().then(() => Promise.reject(new Error('broken')))),
  'a place in the queue for a slot': (signal) => {
    const slots = new Slots(1);
    const held = slots.use(nextTurn);
    return Promise.all([held, slots.use(nextTurn, signal)]);
  },
  'work in time': (signal) => withDeadline(new ManualClock(), hour, late, signal, nextTurn),
};

test.each(Object.entries(waits))('%s leaves no listener on the signal of its caller', async (_what, wait) => {
  const { signal } = new AbortController();
  await wait(signal).catch(() => undefined);
  await nextTurn();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a sleep that is ended leaves no timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const leave = new AbortController();
  const sleeps = Array.from({ length: 100 }, () => systemClock.sleep(hour, leave.signal).catch(() => 'ended'));
  expect(timers()).toBeGreaterThanOrEqual(before + 100);
  leave.abort(new Error('over'));
  expect(new Set(await Promise.all(sleeps))).toEqual(new Set(['ended']));
  expect(timers()).toBeLessThan(before + 100);
});

test.each([
  ['is done', () => Promise.resolve('done')],
  ['fails', () => Promise.reject(new Error('broken'))],
])('the deadline of work that %s waits no longer', async (_how, work: () => Promise<string>) => {
  const clock = new ManualClock();
  await withDeadline(clock, hour, late, undefined, work).catch(() => undefined);
  await nextTurn();
  expect(clock.sleeping).toBe(0);
});
