// Loaded into a program by `--import`: at SIGUSR2 it collects garbage (with `--expose-gc`), lets SQLite give back the pages that
// it caches (`PRAGMA shrink_memory`), and prints what the process and its threads hold, in MiB, as one JSON line on stderr. What
// was freed is given back to the system within three seconds, so pages are counted then; objects were counted at once, and the
// garbage of those seconds is not. A thread that runs no event loop does not answer, and is left out.
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
  /** In use by objects. */
  objects: number;
}

/** `room`: of the pages of the heap, what no object is in, but garbage. */
type Report = Held & { room: number };

const givenBackMs = 3000;
const answersWithinMs = 500;
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

let held: Held | null = null;

/** Leaves what is held for good, and counts it: pages up to the bound of each cache come back with the next queries. */
function collect(): void {
  globalThis.gc?.();
  for (const connection of connections) {
    const db = connection.deref();
    if (db?.open) {
      pragma.call(db, 'shrink_memory');
    } else {
      connections.delete(connection);
    }
  }
  const heap = getHeapStatistics();
  const code = getHeapCodeStatistics();
  held = {
    heap: heap.used_heap_size + heap.malloced_memory + heap.external_memory,
    machineCode: code.code_and_metadata_size,
    bytecode: code.bytecode_and_metadata_size,
    objects: heap.used_heap_size,
  };
}

/** Null before it has collected. */
function report(): Report | null {
  return held && { ...held, room: getHeapStatistics().total_physical_size - held.objects };
}

if (isMainThread) {
  let others: Report[] = [];
  const sum = (of: (thread: Report) => number) => mb(others.reduce((total, thread) => total + of(thread), 0));
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (typeof data === 'object' && data !== null) {
      others.push(data as Report);
    }
  };
  process.on('SIGUSR2', () => {
    threads.postMessage('collect');
    collect();
    const { external, arrayBuffers } = memoryUsage();
    setTimeout(() => {
      others = [];
      threads.postMessage('report');
      const own = report() as Report;
      const ofProcess = {
        rss: mb(memoryUsage.rss()),
        anonymous: residentMb('RssAnon'),
        files: residentMb('RssFile') + residentMb('RssShmem'),
      };
      setTimeout(() => {
        const memory = {
          ...ofProcess,
          heapUsed: mb(own.objects),
          external: mb(external),
          arrayBuffers: mb(arrayBuffers),
          machineCode: mb(own.machineCode),
          bytecode: mb(own.bytecode),
          room: mb(own.room),
          threadHeaps: sum(({ heap }) => heap),
          threadCode: sum((thread) => thread.machineCode + thread.bytecode),
          threadRoom: sum(({ room }) => room),
          threads: others.length,
        };
        writeSync(2, `${JSON.stringify({ memory })}\n`);
      }, answersWithinMs);
    }, givenBackMs);
  });
} else {
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (data === 'collect') {
      collect();
    } else if (data === 'report') {
      const own = report();
      if (own !== null) {
        threads.postMessage(own);
      }
    }
  };
}
threads.unref();
