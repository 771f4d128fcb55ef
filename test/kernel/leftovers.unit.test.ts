// What is over leaves nothing: no listener on a signal that lives on, no timer, no sleeper, no open or temporary file.
import { getEventListeners } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { queryObjects } from 'node:v8';
import { expect, test } from 'vitest';
import { takeFileLock } from '#kernel/files/file-lock.ts';
import { createText, writeText } from '#kernel/files/files.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import { markDatabase } from '#kernel/sqlite/database-file.ts';
import { systemClock, withDeadline, yieldToEventLoop } from '#kernel/time/clock.ts';
import { shareWork } from '#kernel/time/shared-work.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const late = () => new Error('too late');
const hour = 3_600_000;

const waits: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'a sleep': (signal) => systemClock.sleep(1, signal),
  'work that is shared': shareWork(() => yieldToEventLoop()),
  'shared work that fails': shareWork(() => yieldToEventLoop().then(() => Promise.reject(new Error('broken')))),
  'a place in the queue for a slot': (signal) => {
    const slots = new Semaphore(1);
    const held = slots.use(yieldToEventLoop);
    return Promise.all([held, slots.use(yieldToEventLoop, signal)]);
  },
  'work in time': (signal) => withDeadline(new ManualClock(), hour, late, signal, yieldToEventLoop),
};

test.each(Object.entries(waits))('%s leaves no listener on the signal of its caller', async (_what, wait) => {
  const { signal } = new AbortController();
  await wait(signal).catch(() => undefined);
  await yieldToEventLoop();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

/** Stands for what work holds: a connection, a client. */
class Held {
  ended = false;
}

test('what work listened for at the signal of a deadline is not held when the work is over', async () => {
  const { signal } = new AbortController();
  const listening = (inner: AbortSignal) => {
    const held = new Held();
    inner.addEventListener('abort', () => {
      held.ended = true;
    });
    return yieldToEventLoop();
  };
  for (let round = 0; round < 20; round += 1) {
    await withDeadline(new ManualClock(), hour, late, signal, listening);
  }
  await yieldToEventLoop();
  expect(queryObjects(Held, { format: 'count' })).toBe(0);
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
  await yieldToEventLoop();
  expect(clock.sleeping).toBe(0);
});

/** The next file gets the lowest number that is free (open(2)). */
function nextFile(folder: string): number {
  const handle = openSync(folder, 'r');
  closeSync(handle);
  return handle;
}

test('files that are written, or cannot be, leave none open and no temporary one', () => {
  using folder = temporaryFolder();
  const file = (name: string) => path.join(folder.path, name);
  mkdirSync(file('taken'));
  const before = nextFile(folder.path);
  for (let round = 0; round < 50; round += 1) {
    writeText(file('text'), 'text');
    expect(() => createText(file('text'), 'text')).toThrow();
    expect(() => markDatabase(file('text'), { applicationId: 1, table: 'flow' })).toThrow('not a database');
    createText(file(`new-${round}`), 'text');
    rmSync(file(`new-${round}`));
    expect(() => writeText(file('taken'), 'text')).toThrow();
  }
  expect(nextFile(folder.path)).toBeLessThan(before + 50);
  expect(readdirSync(folder.path).toSorted()).toEqual(['taken', 'text']);
});

test('a lock that cannot be taken leaves its file closed', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  writeFileSync(`${name}.lock`, 'something else');
  const before = nextFile(folder.path);
  for (let round = 0; round < 50; round += 1) {
    expect(() => takeFileLock(name)).toThrow('remove it if it is not empty');
  }
  expect(nextFile(folder.path)).toBeLessThan(before + 50);
});
