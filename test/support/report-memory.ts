// Loaded into a program by `--import`: at SIGUSR2 it collects garbage (with `--expose-gc`), lets SQLite give back the pages that
// it caches (`PRAGMA shrink_memory`), and prints what the process and its threads hold, in MiB, as one JSON line on stderr. A
// thread that runs no event loop does not answer, and is left out.
import { readFileSync, writeSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import { getHeapCodeStatistics, getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** Of one thread, bytes. */
interface Held {
  /** In use by objects and by V8 itself, and buffers outside of its heap. */
  heap: number;
  /** Compiled code, part of `heap`. */
  machineCode: number;
  bytecode: number;
  /** Of the pages of the heap: what no object is in. */
  room: number;
}

const answersWithinMs = 3000;
const threads = new BroadcastChannel('memory of the threads');
const residentMb = (kind: string) =>
  mb(Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024);
const mb = (bytes: number) => Math.round(bytes / 10_485.76) / 100;

/** Connections of this thread: each sets pragmas when it is opened. */
const connections = new Set<WeakRef<Database.Database>>();
const known = new WeakSet<Database.Database>();
const { pragma } = Database.prototype;
Database.prototype.pragma = function (this: Database.Database, ...given: Parameters<typeof pragma>) {
  if (!known.has(this)) {
    known.add(this);
    connections.add(new WeakRef(this));
  }
  return pragma.apply(this, given);
};

/** Leaves what is held for good: pages up to the bound of each cache come back with the next queries. */
function giveBack(): void {
  globalThis.gc?.();
  for (const connection of connections) {
    const db = connection.deref();
    if (db?.open) {
      pragma.call(db, 'shrink_memory');
    } else {
      connections.delete(connection);
    }
  }
}

function held(): Held {
  const heap = getHeapStatistics();
  const code = getHeapCodeStatistics();
  return {
    heap: heap.used_heap_size + heap.malloced_memory + heap.external_memory,
    machineCode: code.code_and_metadata_size,
    bytecode: code.bytecode_and_metadata_size,
    room: heap.total_physical_size - heap.used_heap_size,
  };
}

if (isMainThread) {
  let others: Held[] = [];
  const sum = (of: (thread: Held) => number) => mb(others.reduce((total, thread) => total + of(thread), 0));
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (data !== 'report') {
      others.push(data as Held);
    }
  };
  process.on('SIGUSR2', () => {
    giveBack();
    others = [];
    threads.postMessage('report');
    setTimeout(() => {
      const { heapUsed, external, arrayBuffers, rss } = memoryUsage();
      const { machineCode, bytecode, room } = held();
      const memory = {
        rss: mb(rss),
        anonymous: residentMb('RssAnon'),
        files: residentMb('RssFile') + residentMb('RssShmem'),
        heapUsed: mb(heapUsed),
        external: mb(external),
        arrayBuffers: mb(arrayBuffers),
        machineCode: mb(machineCode),
        bytecode: mb(bytecode),
        room: mb(room),
        threadHeaps: sum(({ heap }) => heap),
        threadCode: sum((thread) => thread.machineCode + thread.bytecode),
        threadRoom: sum((thread) => thread.room),
        threads: others.length,
      };
      writeSync(2, `${JSON.stringify({ memory })}\n`);
    }, answersWithinMs);
  });
} else {
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (data === 'report') {
      giveBack();
      threads.postMessage(held());
    }
  };
}
threads.unref();
