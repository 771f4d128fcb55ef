// The edges of a reader pool on real threads: who is told of what, what is asked ahead, and what a thread keeps.
import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createReaderPool, type ReaderPoolOptions } from '#hub/base/readers/pool.ts';
import { startReaderPools } from '#hub/base/readers/pools.ts';
import { AppError } from '#kernel/errors.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { writeNewDatabase } from '../../../support/new-database.ts';
import type { queries } from '../../../support/reader-queries.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const module = new URL('../../../support/reader-queries.ts', import.meta.url).href;
const never = new AbortController().signal;
const gone = new Error('the client went away');

function open(options: Partial<ReaderPoolOptions> = {}) {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'items.db');
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE item (id INTEGER PRIMARY KEY)');
  const told: string[] = [];
  const pool = createReaderPool<typeof queries>({
    ...{ file, module, cacheKb: 2048, size: 1, maxWaiting: 0, refusal: () => new AppError('busy', 'try again') },
    lost: () => void told.push('lost'),
    damaged: (error) => void told.push(`damaged: ${(error as { code?: string }).code}`),
    ...options,
  });
  const ask = async (name: keyof typeof queries, params?: object, signal = never) =>
    JSON.parse(Buffer.from((await pool.ask(name, params as never, signal)).bytes).toString());
  /** Returns how many items there are then. */
  const add = () => Number(db.prepare('INSERT INTO item DEFAULT VALUES').run().lastInsertRowid);
  return {
    ...{ file, pool, told, ask, add },
    stream: (name: 'counted' | 'brokenOff', params?: object) => pool.stream(name, params as never, never),
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      db.close();
      folder[Symbol.dispose]();
    },
  };
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) {
    // Nothing is kept.
  }
}

/** Threads that start and end while `work` runs, by their exit codes. */
async function threadsOf(work: (workers: readonly Worker[], ended: readonly number[]) => Promise<void>) {
  const workers: Worker[] = [];
  const ended: number[] = [];
  const note = (worker: Worker) => {
    workers.push(worker);
    worker.on('exit', (code) => void ended.push(code));
  };
  process.on('worker', note);
  try {
    await work(workers, ended);
  } finally {
    process.off('worker', note);
  }
  return { started: workers.length, ended };
}

test('an answer is JSON of any kind; of a text that is thrown and of a code that is not of SQLite the message is left', async () => {
  await using hub = open();
  const failure = (name: keyof typeof queries, params?: object) =>
    hub.ask(name, params).catch((error: Error & { code?: string }) => [error.message, error.code, error.name]);
  expect((await failure('none' as 'rows'))[0]).toBe('there is no query named none');
  expect(await failure('throwText')).toEqual(['a text, no error', undefined, 'Error']);
  expect(await failure('failWith', { code: 'SQLITE_FULL' })).toEqual(['a mistake', 'SQLITE_FULL', 'Error']);
  for (const code of ['ENOENT', 7, undefined]) {
    expect(await failure('failWith', { code })).toEqual(['a mistake', undefined, 'Error']);
  }
  expect((await failure('counted', { made: new Int32Array(1), chunks: 0 }))[0]).toBe(
    'the query counted gave no answer',
  );
  expect(hub.told).toEqual([]);
  const answers = [await hub.ask('nothing'), await hub.ask('list'), await hub.ask('page')];
  expect(answers).toEqual([null, [1, 'two', null], { next: 'a cursor' }]);
});

test('a compressed answer is of the fastest level', async () => {
  await using hub = open();
  const made = new Int32Array(new SharedArrayBuffer(4));
  const { bytes } = await hub.pool.askGzipped('counted', { made, chunks: 3 } as never, never);
  expect(gunzipSync(bytes).toString()).toBe('123');
  // Extra flags of RFC 1952, 2.3.1.
  expect(bytes[8]).toBe(4);
});

test('a query reads what was committed before it, also after one that failed or was left', async () => {
  await using hub = open();
  const made = new Int32Array(new SharedArrayBuffer(4));
  await hub.ask('rows');
  const begun = async (chunks: number) => {
    const stream = hub.stream('counted', { made, chunks });
    await stream.next();
    return stream;
  };
  for (const before of [
    () => hub.ask('throwText'),
    () => drain(hub.stream('brokenOff')),
    async () => (await begun(2)).return(),
    async () => (await begun(9)).return(),
    async () => drain(await begun(9)),
  ]) {
    await before().catch(() => undefined);
    const rows = hub.add();
    expect(await hub.ask('rows')).toEqual({ rows });
  }
});

test.each([1, 2, 7])('a stream of which %i chunks are taken has produced three more, and not all', async (taken) => {
  await using hub = open();
  const made = new Int32Array(new SharedArrayBuffer(4));
  const stream = hub.stream('counted', { made, chunks: 100 });
  const texts: string[] = [];
  for (let chunk = 0; chunk < taken; chunk += 1) {
    texts.push(Buffer.from((await stream.next()).value as Uint8Array).toString());
  }
  await stream.return();
  expect(texts).toEqual(Array.from({ length: taken }, (_, at) => String(at + 1)));
  expect(made[0]).toBe(taken + 3);
});

test('a stream that fails gives what came before, then the failure', async () => {
  await using hub = open();
  const stream = hub.stream('brokenOff');
  expect(Buffer.from((await stream.next()).value as Uint8Array).toString()).toBe('one');
  await expect(stream.next()).rejects.toThrow('a mistake after one');
  expect(await hub.ask('rows')).toEqual({ rows: 0 });
});

test('the owner is told once of a thread that is lost, and of none that was ended', async () => {
  await using hub = open();
  await expect(hub.ask('end')).rejects.toThrow('a reader thread ended while it was running a query');
  expect(hub.told).toEqual(['lost']);
  await hub.ask('rows');
  const leaving = new AbortController();
  const asked = hub.ask('rows', undefined, leaving.signal);
  await yieldToEventLoop();
  leaving.abort(gone);
  await asked.catch(() => undefined);
  await hub.pool[Symbol.asyncDispose]();
  expect(hub.told).toEqual(['lost']);
});

test('a thread whose module cannot be loaded is lost, and the error has the cause', async () => {
  await using hub = open({ module: `data:text/javascript,throw new Error('no such module')` });
  const failed = await hub.ask('rows').catch((error: Error) => error);
  expect(failed).toMatchObject({ message: 'a reader thread failed', cause: { message: 'no such module' } });
  await expect(hub.pool.check(never)).rejects.toThrow('a reader thread failed');
  expect(hub.told).toEqual(['lost', 'lost']);
});

test('a query whose thread cannot be started fails with the reason, and nothing is left at its signal', async () => {
  // A value that no thread can get stands for a system that has no room for one more thread.
  await using hub = open({ file: (() => undefined) as never });
  const client = new AbortController();
  await expect(hub.ask('rows', undefined, client.signal)).rejects.toThrow('could not be cloned');
  expect(getEventListeners(client.signal, 'abort')).toEqual([]);
  await expect(hub.ask('rows', undefined, client.signal)).rejects.toThrow('could not be cloned');
});

test('a damaged file is told with the error; other failures are not', async () => {
  await using hub = open({});
  const file = `${hub.file}.damaged`;
  writeFileSync(file, 'no database'.repeat(1000));
  await using damaged = open({ file });
  await expect(damaged.ask('rows')).rejects.toMatchObject({ code: 'SQLITE_NOTADB' });
  expect(damaged.told).toEqual(['damaged: SQLITE_NOTADB']);
  await using missing = open({ file: `${hub.file}.missing` });
  await expect(missing.ask('rows')).rejects.toThrow();
  expect(missing.told).toEqual([]);
});

test('a check waits for a thread that has read; when all are busy it has nothing to say', async () => {
  await using hub = open();
  await hub.pool.check(never);
  await expect(hub.pool.check(AbortSignal.abort(gone))).rejects.toBe(gone);
  const made = new Int32Array(new SharedArrayBuffer(4));
  const stream = hub.stream('counted', { made, chunks: 100 });
  await stream.next();
  await hub.pool.check(never);
  await expect(hub.ask('rows')).rejects.toMatchObject({ code: 'busy' });
  await stream.return();
  expect(await hub.ask('rows')).toEqual({ rows: 0 });
});

test('a thread that was started ahead answers the first query, and ends by itself without one', async () => {
  for (const asks of [true, false]) {
    const { started, ended } = await threadsOf(async (workers) => {
      await using hub = open({ size: 2 });
      hub.pool.warm();
      await yieldToEventLoop();
      // A thread that queries fill with short-lived rows stays small.
      const limits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };
      expect(workers.map(({ resourceLimits }) => resourceLimits)).toEqual([expect.objectContaining(limits)]);
      await (asks ? hub.ask('rows') : undefined);
    });
    expect([started, ended]).toEqual([1, [0]]);
  }
});

test('as many queries run as there may be threads, without waiting; one more is refused', async () => {
  await using hub = open({ size: 2 });
  const outcomes = await Promise.allSettled([hub.ask('thread'), hub.ask('thread'), hub.ask('thread')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

test('who waits for a thread that is lost gets another one', async () => {
  await using hub = open({ maxWaiting: 1 });
  const [lost, next] = await Promise.allSettled([hub.ask('end'), hub.ask('rows')]);
  expect([lost.status, next]).toEqual(['rejected', { status: 'fulfilled', value: { rows: 0 } }]);
});

test('a query that a stop overtakes before it begins ends with it', async () => {
  const hub = open();
  await hub.ask('rows');
  const asked = expect(hub.ask('rows')).rejects.toThrow('the hub is stopping');
  await hub[Symbol.asyncDispose]();
  await asked;
});

test('a query that nobody wants before it begins costs no thread', async () => {
  await using hub = open();
  const before = await hub.ask('thread');
  const leaving = new AbortController();
  const asked = hub.ask('thread', undefined, leaving.signal);
  leaving.abort(gone);
  await expect(asked).rejects.toBe(gone);
  expect(await hub.ask('thread')).toBe(before);
});

test.each(['ask', 'askGzipped', 'stream'] as const)('%s that is aborted at any step throws the reason', async (how) => {
  await using hub = open({ maxWaiting: 1 });
  await hub.ask('rows');
  for (let steps = 0; steps <= 4; steps += 1) {
    const leaving = new AbortController();
    const params = { made: new Int32Array(new SharedArrayBuffer(4)), chunks: 10_000 };
    const asked = hub.pool[how]('counted', params as never, leaving.signal);
    const answer = 'next' in asked ? asked.next() : asked;
    for (let step = 0; step < steps; step += 1) {
      await Promise.resolve();
    }
    leaving.abort(gone);
    await expect(answer).rejects.toBe(gone);
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
    expect(await hub.ask('rows')).toEqual({ rows: 0 });
  }
});

test('nothing is left at the signal of a query, however it ended', async () => {
  await using hub = open({ maxWaiting: 3 });
  const { signal } = new AbortController();
  const stream = hub.pool.stream('brokenOff', undefined as never, signal);
  await Promise.allSettled([
    hub.ask('rows', undefined, signal),
    hub.ask('throwText', undefined, signal),
    drain(stream),
  ]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const asked = Array.from({ length: 5 }, () => hub.ask('rows', undefined, signal));
  const reasons = asked.map((answer) => answer.catch(({ message }: Error) => message));
  await hub.pool[Symbol.asyncDispose]();
  const stopping = 'the hub is stopping';
  expect(await Promise.all(reasons)).toEqual([stopping, stopping, stopping, stopping, 'try again']);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('where an abandoned query may finish, its caller is let go at once and the thread stays', async () => {
  await using hub = open({ finishAbandoned: true, maxWaiting: 1 });
  const before = await hub.ask('thread');
  const leaving = new AbortController();
  const asked = hub.ask('rows', undefined, leaving.signal);
  await Promise.resolve();
  await Promise.resolve();
  leaving.abort(gone);
  await expect(asked).rejects.toBe(gone);
  expect(await hub.ask('thread')).toBe(before);
});

test('a pool that keeps no idle thread serves who waits with the one it has, then ends it', async () => {
  const { started, ended } = await threadsOf(async () => {
    await using hub = open({ closeIdle: true, maxWaiting: 1 });
    const [one, other] = await Promise.all([hub.ask('thread'), hub.ask('thread')]);
    expect(one).toBe(other);
  });
  expect([started, ended]).toEqual([1, [0]]);
});

test.each([true, false])('the pools of a hub, started ahead: %s', async (isEager) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  writeNewDatabase(file);
  const { started, ended } = await threadsOf(async (workers, over) => {
    await using pools = startReaderPools(file, isEager);
    await yieldToEventLoop();
    expect(workers).toHaveLength(isEager ? 2 : 0);
    await Promise.all([pools.reads.check(never), pools.summaries.check(never)]);
    expect(workers).toHaveLength(2);
    // Threads of exports and scans end with their query; that of summaries outlives one that nobody waits for.
    await Promise.all([pools.exports.check(never), pools.scans.check(never)]);
    await expect.poll(() => over).toEqual([0, 0]);
    const leaving = new AbortController();
    const asked = pools.summaries.check(leaving.signal);
    await Promise.resolve();
    await Promise.resolve();
    leaving.abort(gone);
    await expect(asked).rejects.toBe(gone);
    await pools.summaries.check(never);
  });
  expect([started, ended]).toEqual([4, [0, 0, 0, 0]]);
});

test('the pools refuse in their own words, tell of damage until they end, and run two exports', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  writeFileSync(file, 'no database'.repeat(1000));
  const pools = startReaderPools(file, false);
  const told: string[] = [];
  await expect(pools.reads.check(never)).rejects.toThrow();
  pools.watch({ lost: () => void told.push('lost'), damaged: ({ message }) => void told.push(message) });
  await expect(pools.summaries.check(never)).rejects.toThrow();
  expect(told).toEqual(['file is not a database']);
  const asked = Array.from({ length: 3 }, () => pools.exports.stream('exportRows' as never, {} as never, never).next());
  const outcomes = await Promise.allSettled(asked);
  const reasons = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason);
  const busy = { code: 'rate_limited', headers: { 'Retry-After': '1' } };
  expect(reasons.filter((reason) => reason instanceof AppError)).toEqual([expect.objectContaining(busy)]);
  await pools[Symbol.asyncDispose]();
  await expect(pools.scans.check(never)).resolves.toBeUndefined();
  const refused = await pools.reads.ask('check' as never, undefined as never, never).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'busy', headers: { 'Retry-After': '1' } });
});
