// The program of a reader thread: one read-only connection, one query at a time, each in one transaction.
import { arrayBuffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createGzip } from 'node:zlib';
import { AppError } from '#kernel/errors.ts';
import { workInBackground } from '#kernel/process/thread-priority.ts';
import { loadSqlite, ReadConnection } from '#kernel/sqlite/sqlite.ts';
import {
  type Chunk,
  checkQuery,
  type FromThread,
  type Query,
  type QueryTable,
  type ThreadStart,
  type ToThread,
} from './query-table.ts';

/** Chunks of a stream that are sent ahead of requests. */
const chunksAhead = 4;
const gzipChunkBytes = 262_144;

const check: Query = (reader) => reader.prepare('SELECT count(*) AS tables FROM sqlite_schema').get();

async function startThread(port: NonNullable<typeof parentPort>): Promise<void> {
  workInBackground();
  const { file, module, cacheKb } = workerData as ThreadStart;
  const { queries } = (await import(module)) as { queries: QueryTable };
  const current: { chunks?: Iterator<Chunk>; reader?: ReadConnection } = {};

  const send = (message: FromThread) =>
    port.postMessage(message, 'bytes' in message ? [message.bytes.buffer] : undefined);
  const end = (last: FromThread) => {
    delete current.chunks;
    current.reader?.end();
    send(last);
  };
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      end({ failed: failureOf(error) });
    }
  };
  const sendChunk = () => {
    const chunk = current.chunks?.next();
    if (chunk?.done) {
      end({ done: true });
    } else if (chunk) {
      send({ bytes: encoded(chunk.value), done: false });
    }
  };
  const run = (name: string, params: unknown, isGzipped: boolean) => {
    const query = name === checkQuery ? check : queries[name];
    if (!query) {
      throw new Error(`there is no query named ${name}`);
    }
    // The first query opens the file: the thread may start before it exists.
    current.reader ??= new ReadConnection(file, cacheKb);
    const { reader } = current;
    reader.begin();
    const answer = query(reader, params as never);
    if (!isChunks(answer)) {
      end({ bytes: encoded(JSON.stringify(answer)), done: true });
      return;
    }
    current.chunks = answer;
    if (isGzipped) {
      gzipOf(answer).then(
        (bytes) => end({ bytes, done: true }),
        (error) => end({ failed: failureOf(error) }),
      );
      return;
    }
    for (let ahead = 0; ahead < chunksAhead; ahead += 1) {
      sendChunk();
    }
  };

  // Native code too: terminating a thread while it loads that would crash the process.
  loadSqlite();
  send({ loaded: true });
  port.on('message', (message: ToThread) => {
    if (message === 'stop') {
      current.chunks?.return?.();
      current.reader?.end();
      current.reader?.close();
      port.close();
    } else if ('run' in message) {
      guarded(() => run(message.run, message.params, message.isGzipped));
    } else if (message.go === 'on') {
      guarded(sendChunk);
    } else if (current.chunks) {
      end({ done: true });
    }
  });
}

/** Transferable: TextEncoder allocates an ArrayBuffer for each text. */
function encoded(chunk: Chunk): Uint8Array<ArrayBuffer> {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

/** Compresses chunks as they are produced: they are never all in memory. */
async function gzipOf(chunks: Iterable<Chunk>): Promise<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip({ level: 1, chunkSize: gzipChunkBytes });
  const [bytes] = await Promise.all([arrayBuffer(gzip), pipeline(chunks, gzip)]);
  return new Uint8Array(bytes);
}

function isChunks(answer: unknown): answer is Generator<Chunk, void, void> {
  return typeof answer === 'object' && answer !== null && Symbol.iterator in answer && 'next' in answer;
}

function failureOf(error: unknown) {
  const known = error instanceof Error ? error : new Error(String(error));
  return {
    ...(known instanceof AppError ? { code: known.code } : sqliteCodeOf(known)),
    message: known.message,
    stack: known.stack,
  };
}

function sqliteCodeOf(error: Error): { sqliteCode?: string } {
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')
    ? { sqliteCode: error.code }
    : {};
}

if (parentPort) {
  await startThread(parentPort);
}
