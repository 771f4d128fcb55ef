// The reader pool on real threads and a real file: answers, snapshots, bounds, cancellation, failures, the end.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createReaderPool, type ReaderPool, type ReaderPoolOptions } from '#hub/base/readers/pool.ts';
import { AppError } from '#kernel/errors.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import type { queries } from '../../../support/pool-queries.ts';
import { runProgram } from '../../../support/program.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

type Queries = typeof queries;

interface Open extends AsyncDisposable {
  pool: ReaderPool<Queries>;
  db: Db;
  /** Made by slow-queries.ts. */
  loaded: string;
}

const module = new URL('../../../support/pool-queries.ts', import.meta.url).href;
const never = new AbortController().signal;
const long = { to: 3_000_000 };

function open(options: Partial<ReaderPoolOptions> = {}): Open {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder.path, '001-item.sql'), 'CREATE TABLE item (id INTEGER PRIMARY KEY) STRICT;');
  const file = path.join(folder.path, 'items.db');
  migrate(file, folder.path);
  const db = new Db(file);
  const refusal = () => new AppError('busy', 'try again');
  const pool = createReaderPool<Queries>({ file, module, cacheKb: 2048, size: 2, maxWaiting: 8, refusal, ...options });
  return {
    pool,
    db,
    loaded: `${file}.loaded`,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

const answered = async (answer: Promise<{ bytes: Uint8Array }>) =>
  JSON.parse(Buffer.from((await answer).bytes).toString());
const add = (db: Db) => db.write((writer) => writer.prepare('INSERT INTO item DEFAULT VALUES').run());

test('an answer is the JSON of what the query returns, of what is committed when it is asked', async () => {
  await using hub = open();
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 0 });
  await add(hub.db);
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 1 });
});

test('a thread is kept and used again; two run at once, no more', async () => {
  await using hub = open();
  const ask = () => answered(hub.pool.ask('thread', undefined as never, never));
  const first = await ask();
  expect(await ask()).toBe(first);
  const threads = await Promise.all(Array.from({ length: 6 }, ask));
  expect(new Set(threads).size).toBeLessThanOrEqual(2);
});

test('the loop turns while a query runs', async () => {
  await using hub = open();
  const state = { isAnswered: false, turns: 0 };
  const answer = hub.pool.ask('count', long, never).then(() => {
    state.isAnswered = true;
  });
  while (!state.isAnswered) {
    await new Promise((resolve) => setImmediate(resolve));
    state.turns += 1;
  }
  await answer;
  expect(state.turns).toBeGreaterThan(100);
});

test('what finds neither a thread nor room to wait is refused', async () => {
  await using hub = open({ size: 1, maxWaiting: 1 });
  const both = [hub.pool.ask('count', long, never), hub.pool.ask('count', { to: 1 }, never)];
  await expect(hub.pool.ask('count', { to: 1 }, never)).rejects.toMatchObject({ code: 'busy', status: 503 });
  await Promise.all(both);
  expect(await answered(hub.pool.ask('count', { to: 4 }, never))).toEqual({ sum: 10 });
});

test('a query that waits is dropped when nobody wants it any more, and its place is free', async () => {
  await using hub = open({ size: 1, maxWaiting: 1 });
  const running = hub.pool.ask('count', long, never);
  const gone = new AbortController();
  const waiting = hub.pool.ask('count', { to: 1 }, gone.signal);
  gone.abort(new Error('the client went away'));
  await expect(waiting).rejects.toThrow('the client went away');
  const next = hub.pool.ask('count', { to: 2 }, never);
  await running;
  expect(await answered(next)).toEqual({ sum: 3 });
  await expect(hub.pool.ask('count', { to: 1 }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});

test('a running query is given up at once, and another thread takes the place of its own', async () => {
  await using hub = open({ size: 1 });
  const before = await answered(hub.pool.ask('thread', undefined as never, never));
  const gone = new AbortController();
  const running = hub.pool.ask('count', long, gone.signal);
  const next = hub.pool.ask('thread', undefined as never, never);
  await new Promise((resolve) => setImmediate(resolve));
  gone.abort(new Error('the client went away'));
  await expect(running).rejects.toThrow('the client went away');
  expect(await answered(next)).not.toBe(before);
});

test('a refusal of a query reaches its caller as it is, a mistake as an error with its stack; the thread lives on', async () => {
  await using hub = open({ size: 1 });
  const refused = await hub.pool.ask('refuse', undefined as never, never).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AppError);
  expect(refused).toMatchObject({ code: 'invalid_query', status: 400, message: 'src is wrong' });
  const failed = await hub.pool.ask('fail', undefined as never, never).catch((error: unknown) => error);
  expect(failed).not.toBeInstanceOf(AppError);
  expect((failed as Error).stack).toContain('pool-queries.ts');
  await expect(hub.pool.ask('write', undefined as never, never)).rejects.toThrow(/readonly|query_only|write/);
  expect(await answered(hub.pool.ask('count', { to: 2 }, never))).toEqual({ sum: 3 });
});

test('a thread that ends by itself fails its query and is replaced', async () => {
  await using hub = open({ size: 1 });
  await expect(hub.pool.ask('end', undefined as never, never)).rejects.toThrow('a reader thread');
  expect(await answered(hub.pool.ask('count', { to: 2 }, never))).toEqual({ sum: 3 });
});

test('a stream is one snapshot, however long it takes and whatever is written meanwhile', async () => {
  await using hub = open();
  await add(hub.db);
  const texts: string[] = [];
  for await (const piece of hub.pool.stream('items', { pieces: 40 }, never)) {
    texts.push(Buffer.from(piece).toString());
    await add(hub.db);
  }
  expect(texts).toEqual(Array.from({ length: 40 }, () => '{"rows":1}\n'));
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 41 });
});

test('pieces asked for as one answer come as the gzip of all, and a failure among them as an error', async () => {
  await using hub = open({ size: 1 });
  const { bytes, isGzipped } = await hub.pool.askGzipped('items', { pieces: 3000 }, never);
  expect(isGzipped).toBe(true);
  expect(gunzipSync(bytes).toString()).toBe('{"rows":0}\n'.repeat(3000));
  await expect(hub.pool.askGzipped('brokenOff', { pieces: 3 }, never)).rejects.toThrow('a mistake after 3');
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 0 });
});

test('a packed answer that nobody waits for ends with its thread', async () => {
  await using hub = open({ size: 1 });
  const gone = new AbortController();
  const packing = hub.pool.askGzipped('items', { pieces: 100_000_000 }, gone.signal);
  gone.abort(new Error('the client went away'));
  await expect(packing).rejects.toThrow('the client went away');
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 0 });
});

/** Exit codes of the threads that end while `work` runs: 0 by themselves, 1 when they are terminated. */
async function exitCodes(work: () => Promise<void>): Promise<number[]> {
  const codes: number[] = [];
  const note = (worker: Worker) => void worker.on('exit', (code) => codes.push(code));
  process.on('worker', note);
  try {
    await work();
  } finally {
    process.off('worker', note);
  }
  return codes;
}

test.each([
  ['in a statement', 'count', { to: 20_000 }],
  ['between two chunks', 'items', { pieces: 100_000 }],
] as const)('a thread that is given up %s closes its file and ends by itself', async (_, name, params) => {
  const codes = await exitCodes(async () => {
    await using hub = open({ size: 1, patienceMs: 600_000 });
    // The thread runs: what it is asked next begins at once.
    await hub.pool.ask('thread', undefined as never, never);
    const gone = new AbortController();
    const answer = hub.pool[name === 'items' ? 'askGzipped' : 'ask'](name as 'items', params as never, gone.signal);
    await yieldToEventLoop();
    gone.abort(new Error('the client went away'));
    await expect(answer).rejects.toThrow('the client went away');
  });
  expect(codes).toEqual([0]);
});

test('a stream that is open when the pool is closed ends with its thread, which closes its file', async () => {
  const codes = await exitCodes(async () => {
    await using hub = open({ size: 1 });
    await hub.pool.stream('items', { pieces: 100_000 }, never).next();
  });
  expect(codes).toEqual([0]);
});

test('a thread that does not end by itself is terminated', async () => {
  const codes = await exitCodes(async () => {
    await using hub = open({ size: 1 });
    await hub.pool.ask('thread', undefined as never, never);
    const gone = new AbortController();
    const answer = hub.pool.ask('forever', undefined as never, gone.signal);
    await yieldToEventLoop();
    gone.abort(new Error('the client went away'));
    await expect(answer).rejects.toThrow('the client went away');
  });
  expect(codes).toEqual([1]);
});

test('a stream that is left ends its query; one that is aborted throws the reason', async () => {
  await using hub = open({ size: 1, maxWaiting: 0 });
  for await (const _ of hub.pool.stream('items', { pieces: 1_000_000 }, never)) {
    break;
  }
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 0 });
  const gone = new AbortController();
  const read = async () => {
    for await (const _ of hub.pool.stream('items', { pieces: 1_000_000 }, gone.signal)) {
      gone.abort(new Error('the client went away'));
    }
  };
  await expect(read()).rejects.toThrow('the client went away');
  expect(await answered(hub.pool.ask('rows', undefined as never, never))).toEqual({ rows: 0 });
});

test('a pool that keeps no idle thread starts a new one each time', async () => {
  await using hub = open({ size: 1, closeIdle: true });
  const ask = () => answered(hub.pool.ask('thread', undefined as never, never));
  expect(await ask()).not.toBe(await ask());
});

test('the end of the pool fails what runs and what waits, and lets the file go', async () => {
  const hub = open({ size: 1 });
  const asked = [hub.pool.ask('count', long, never), hub.pool.ask('count', { to: 1 }, never)];
  const outcomes = Promise.allSettled(asked);
  await hub[Symbol.asyncDispose]();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(hub.pool.ask('count', { to: 1 }, never)).rejects.toMatchObject({ code: 'busy' });
});

// SQLite is native code: a thread that is ended while it loads that takes the whole process with it, now and then.
test('a query that is given up while its thread loads is over at once, the thread when it has loaded', async () => {
  const slow = new URL('../../../support/slow-queries.ts', import.meta.url).href;
  await using hub = open({ module: slow });
  const gaveUp = new AbortController();
  const answer = hub.pool.ask('rows', undefined as never, gaveUp.signal);
  await yieldToEventLoop();
  gaveUp.abort(new Error('gave up'));
  await expect(answer).rejects.toThrow('gave up');
  expect(existsSync(hub.loaded)).toBe(false);
  await hub.pool[Symbol.asyncDispose]();
  expect(existsSync(hub.loaded)).toBe(true);
});

test('no thread keeps a program from ending, but a query and the end of the pool do', async () => {
  await using hub = open();
  const script = `import { createReaderPool } from '${new URL('../../../../src/hub/base/readers/pool.ts', import.meta.url).href}';
    const [, , file, module, ends] = process.argv;
    const pool = createReaderPool({ file, module, cacheKb: 2048, size: 1, maxWaiting: 1, refusal: () => new Error() });
    const ask = (name, params) => pool.ask(name, params, new AbortController().signal);
    console.log(Buffer.from((await ask('rows')).bytes).toString());
    if (ends) {
      ask('count', ${JSON.stringify(long)}).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      await pool[Symbol.asyncDispose]();
      console.log('ended');
    }`;
  const { file } = hub.db;
  writeFileSync(`${file}.mjs`, script);
  const program = [`${file}.mjs`, file, module];
  expect(await runProgram(program)).toMatchObject({ code: 0, stdout: '{"rows":0}\n' });
  const stdout = '{"rows":0}\nended\n';
  expect(await runProgram([...program, 'ends'])).toMatchObject({ code: 0, stdout });
});
