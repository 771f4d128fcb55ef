// The thread of pool.ts: one read-only connection, one query at a time, each in one transaction.
import { arrayBuffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createGzip } from 'node:zlib';
import { AppError } from '#kernel/errors.ts';
import { loadSqlite, ReadConnection } from '#kernel/sqlite.ts';
import { workInBackground } from '#kernel/thread-priority.ts';
import {
  checkQuery,
  type FromThread,
  type Query,
  type QueryTable,
  type ThreadStart,
  type ToThread,
} from './query-table.ts';

/** Pieces of a stream that may be under way before the other side has asked for more. */
const piecesAhead = 4;
const packedChunkBytes = 262_144;

const check: Query = (reader) => reader.prepare('SELECT count(*) AS tables FROM sqlite_schema').get();

async function startThread(port: NonNullable<typeof parentPort>): Promise<void> {
  workInBackground();
  const { file, module, cacheKb } = workerData as ThreadStart;
  const { queries } = (await import(module)) as { queries: QueryTable };
  const current: { pieces?: Iterator<string>; reader?: ReadConnection } = {};

  const send = (message: FromThread) =>
    port.postMessage(message, 'bytes' in message ? [message.bytes.buffer] : undefined);
  const end = (last: FromThread) => {
    delete current.pieces;
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
  const sendPiece = () => {
    const piece = current.pieces?.next();
    if (piece?.done) {
      end({ done: true });
    } else if (piece) {
      send({ bytes: encoded(piece.value), done: false });
    }
  };
  const run = (name: string, params: unknown, isPacked: boolean) => {
    const query = name === checkQuery ? check : queries[name];
    if (!query) {
      throw new Error(`there is no query named ${name}`);
    }
    // The first query opens the file: a thread may be started before there is one.
    current.reader ??= new ReadConnection(file, cacheKb);
    const { reader } = current;
    reader.begin();
    const answer = query(reader, params as never);
    if (!isPieces(answer)) {
      end({ bytes: encoded(JSON.stringify(answer)), done: true });
      return;
    }
    if (isPacked) {
      gzipOf(answer).then(
        (bytes) => end({ bytes, done: true }),
        (error) => end({ failed: failureOf(error) }),
      );
      return;
    }
    current.pieces = answer;
    for (let ahead = 0; ahead < piecesAhead; ahead += 1) {
      sendPiece();
    }
  };

  // Native code too: a thread that is ended while it loads that would end the process.
  loadSqlite();
  send({ loaded: true });
  port.on('message', (message: ToThread) => {
    if (message === 'stop') {
      current.reader?.end();
      current.reader?.close();
      port.close();
    } else if ('run' in message) {
      guarded(() => run(message.run, message.params, message.isPacked));
    } else if (message.go === 'on') {
      guarded(sendPiece);
    } else if (current.pieces) {
      end({ done: true });
    }
  });
}

/** Transferable: TextEncoder gives every text an ArrayBuffer of its own. */
function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Pieces are made while others are packed: never are all of them in memory. */
async function gzipOf(pieces: Iterable<string>): Promise<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip({ level: 1, chunkSize: packedChunkBytes });
  const [bytes] = await Promise.all([arrayBuffer(gzip), pipeline(pieces, gzip)]);
  return new Uint8Array(bytes);
}

function isPieces(answer: unknown): answer is Generator<string, void, void> {
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
