// Semaphore whose waiters may leave: order, hand-over and count stay right whoever goes when.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Semaphore } from '#kernel/http/limiter.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';

/** One slot, held until `free` is called. */
function oneHeld() {
  const slots = new Semaphore(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  return { slots, held: slots.use(() => promise), free: resolve };
}

const left = new Error('nobody waits any more');

test('a waiter whose signal aborts leaves at once, with the reason; the next one gets the slot', async () => {
  const { slots, held, free } = oneHeld();
  const leave = new AbortController();
  const started: string[] = [];
  const work = (name: string) => async () => void started.push(name);
  const leaver = slots.use(work('leaver'), leave.signal);
  const next = slots.use(work('next'));
  leave.abort(left);
  await expect(leaver).rejects.toBe(left);
  expect(getEventListeners(leave.signal, 'abort')).toEqual([]);
  free();
  await Promise.all([held, next]);
  expect(started).toEqual(['next']);
  expect([slots.tryTake(), slots.tryTake()]).toEqual([expect.any(Function), null]);
});

test('a slot that was handed to a waiter which leaves in the same turn goes to the one behind it', async () => {
  const slots = new Semaphore(1);
  const giveBack = slots.tryTake();
  const leave = new AbortController();
  const started: string[] = [];
  const leaver = slots.use(async () => void started.push('leaver'), leave.signal);
  const next = slots.use(async () => void started.push('next'));
  giveBack?.();
  leave.abort(left);
  await expect(leaver).rejects.toBe(left);
  await next;
  expect(started).toEqual(['next']);
  expect([slots.tryTake(), slots.tryTake()]).toEqual([expect.any(Function), null]);
});

test('with an aborted signal nothing starts, also while a slot is free', async () => {
  const slots = new Semaphore(1);
  const started: string[] = [];
  await expect(slots.use(async () => started.push('work'), AbortSignal.abort(left))).rejects.toBe(left);
  expect(started).toEqual([]);
  expect(slots.tryTake()).toEqual(expect.any(Function));
});

test('an abort after the work began is for the work to see; the slot is given back once', async () => {
  const slots = new Semaphore(1);
  const leave = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = slots.use(() => promise, leave.signal);
  leave.abort(left);
  await yieldToEventLoop();
  expect(slots.tryTake()).toBeNull();
  resolve('done');
  expect(await running).toBe('done');
  expect([slots.tryTake(), slots.tryTake()]).toEqual([expect.any(Function), null]);
});

test('a slot that is given back twice is one slot', () => {
  const slots = new Semaphore(2);
  const [first, second] = [slots.tryTake(), slots.tryTake()];
  first?.();
  first?.();
  expect([second, slots.tryTake(), slots.tryTake()]).toEqual([expect.any(Function), expect.any(Function), null]);
});

test('work that throws before its first wait gives its slot back too', async () => {
  const slots = new Semaphore(1);
  const broken = () => {
    throw new Error('broken');
  };
  await expect(slots.use(broken)).rejects.toThrow('broken');
  expect(await slots.use(async () => 'next')).toBe('next');
  expect([slots.tryTake(), slots.tryTake()]).toEqual([expect.any(Function), null]);
});
