// The check that reads work: when it is made and repeated, what is said of a failure, and that damage stays.
import { expect, test } from 'vitest';
import type { Base } from '#hub/base/feature.ts';
import { startReadersFeature } from '#hub/base/readers/feature.ts';
import { startReaderCheck } from '#hub/base/readers/reader-check.ts';
import type { Log } from '#kernel/process/log.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A check whose answers the test gives, one after the other. */
function startScene({ isEager = false } = {}) {
  const clock = new ManualClock();
  const logged: string[] = [];
  const write = (level: string) => (_fields: object, text: string) => void logged.push(`${level} ${text}`);
  const log = { info: write('info'), error: write('error') } as unknown as Log;
  const asked: { signal: AbortSignal; resolve(): void; reject(error: unknown): void }[] = [];
  const ask = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => void asked.push({ signal, resolve, reject }));
  const check = startReaderCheck({ clock, log, file: '/data/monitor.db', ask, isEager });
  const last = () => asked.at(-1) as (typeof asked)[number];
  return {
    ...{ check, clock, logged, last, asked: () => asked.length },
    said: () => check.last()?.sentence ?? null,
    /** Asks for the problem, and answers the check that this starts. */
    async failWith(error: unknown) {
      const problem = check.problem();
      last().reject(error);
      return (await problem)?.sentence ?? null;
    },
    async succeed() {
      const problem = check.problem();
      last().resolve();
      return (await problem)?.sentence ?? null;
    },
  };
}

const unreadable =
  /^the log cannot be read, a reader thread cannot start \(no memory\): .* may read \/data\/monitor\.db;/;

test('the first check is made ahead or when it is asked for; several that wait share it', async () => {
  const eager = startScene({ isEager: true });
  expect(eager.asked()).toBe(1);
  const scene = startScene();
  expect([scene.asked(), scene.check.last()]).toEqual([0, null]);
  const problems = [scene.check.problem(), scene.check.problem()];
  expect(scene.asked()).toBe(1);
  scene.last().resolve();
  expect(await Promise.all(problems)).toEqual([null, null]);
  expect([await scene.check.problem(), scene.asked(), scene.logged]).toEqual([null, 1, []]);
});

test('a failure is said with its cause, logged once, and forgotten after a success', async () => {
  const scene = startScene();
  const failure = new Error('a reader thread failed', { cause: new Error('no memory') });
  expect(await scene.failWith(failure)).toMatch(unreadable);
  expect(scene.said()).toMatch(unreadable);
  await scene.clock.advance(5000);
  expect(await scene.failWith('no memory')).toMatch(unreadable);
  expect(scene.logged).toEqual([expect.stringMatching(/^error the log cannot be read/)]);
  await scene.clock.advance(5000);
  expect(await scene.succeed()).toBeNull();
  expect(scene.check.last()).toBeNull();
  expect(scene.logged.slice(1)).toEqual(['info the log can be read again']);
  await scene.clock.advance(5000);
  expect([await scene.check.problem(), scene.asked()]).toEqual([null, 3]);
  scene.check.lost();
  await scene.failWith(new Error('no memory'));
  expect(scene.logged).toHaveLength(3);
});

test('a failed check is repeated after five seconds, also by a clock that was put back', async () => {
  for (const step of [5000, -5000]) {
    const scene = startScene();
    await scene.failWith(new Error('no memory'));
    const failedAt = scene.clock.now();
    scene.clock.jump(failedAt + step - Math.sign(step));
    expect([await scene.check.problem(), scene.asked()]).toMatchObject([
      { sentence: expect.stringMatching(unreadable) },
      1,
    ]);
    scene.clock.jump(failedAt + step);
    expect([await scene.succeed(), scene.asked()]).toEqual([null, 2]);
  }
});

test('why a thread cannot start has the cause that the system names', async () => {
  const scene = startScene();
  const cause = Object.assign(new Error('no more files'), { code: 'EMFILE' });
  await scene.failWith(new Error('a thread ended', { cause }));
  expect(scene.check.last()?.values).toMatchObject({ detail: 'no more files', cause: 'too_many_files' });
});

test('a thread that was lost makes a check due, not before five seconds after a failure', async () => {
  const scene = startScene();
  await scene.succeed();
  scene.check.lost();
  expect([scene.asked(), scene.check.last()]).toEqual([1, null]);
  expect(await scene.failWith(new Error('no memory'))).toMatch(unreadable);
  scene.check.lost();
  await scene.check.problem();
  expect(scene.asked()).toBe(2);
});

test('a thread that is lost while a check runs makes one more due', async () => {
  const scene = startScene();
  const problem = scene.check.problem();
  scene.check.lost();
  scene.last().resolve();
  await problem;
  await scene.succeed();
  expect(scene.asked()).toBe(2);
});

test('damage is said and logged once, whatever checks find later', async () => {
  const scene = startScene();
  scene.check.damaged(new Error('malformed'));
  const sentence = expect.stringMatching(/^reads fail, \/data\/monitor\.db is damaged \(malformed\): /);
  expect(scene.said()).toEqual(sentence);
  scene.check.damaged(new Error('malformed again'));
  expect(scene.logged).toEqual([expect.stringMatching(/^error reads fail/)]);
  expect(await scene.succeed()).toEqual(sentence);
});

test.each([true, false, undefined])(
  'the feature checks both kinds of reads; with startsReaders %s',
  async (startsReaders) => {
    const asked: string[] = [];
    const pool = (name: string, outcome?: Error) => ({
      check: async () => {
        asked.push(name);
        if (outcome) {
          throw outcome;
        }
      },
    });
    const state: { watched?: { lost(): void } } = {};
    const readers = {
      reads: pool('reads'),
      summaries: pool('summaries'),
      watch: (all: never) => Object.assign(state, { watched: all }),
    };
    const log = { info: () => undefined, error: () => undefined };
    const base = {
      clock: new ManualClock(),
      log,
      folder: { databaseFile: '/data/monitor.db' },
      readers,
      options: { startsReaders },
    };
    const feature = startReadersFeature(base as unknown as Base);
    expect(asked).toEqual(startsReaders === false ? [] : ['reads', 'summaries']);
    expect([await feature.notReady?.(), feature.status?.()]).toEqual([null, { warnings: [null] }]);
    readers.summaries = pool('summaries', new Error('no memory'));
    state.watched?.lost();
    expect(await feature.notReady?.()).toBe('reads_fail');
    expect(feature.status?.()).toMatchObject({
      warnings: [{ code: 'reads_fail', sentence: expect.stringMatching(unreadable) }],
    });
    await feature[Symbol.asyncDispose]?.();
    base.clock.jump(base.clock.now() + 5000);
    const before = asked.length;
    await feature.notReady?.();
    expect(asked).toHaveLength(before);
  },
);

test('a stop aborts the check and waits for it; its failure is none, and no other is made', async () => {
  const scene = startScene({ isEager: true });
  const { signal, reject } = scene.last();
  let isStopped = false;
  const stopped = scene.check[Symbol.asyncDispose]().then(() => {
    isStopped = true;
  });
  await yieldToEventLoop();
  expect([signal.aborted, (signal.reason as Error).message, isStopped]).toEqual([true, 'the hub is stopping', false]);
  reject(signal.reason);
  await stopped;
  scene.check.lost();
  expect([await scene.check.problem(), scene.asked(), scene.logged]).toEqual([null, 1, []]);
});
