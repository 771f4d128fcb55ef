// Loaded into a program by `--import`: at SIGUSR2 it collects garbage (with `--expose-gc`), lets SQLite give back the pages that
// it caches (`PRAGMA shrink_memory`), and prints what the process and its threads hold, in MiB, as one JSON line on stderr.
// Objects are counted at once, what the system gave the process three seconds later: freed pages are given back by then. A
// thread that runs no event loop does not answer, and is left out. Under jemalloc with `stats_interval` set, its statistics are
// printed as well, after SQLite was let give back again what it has cached since.
import { readFileSync, writeSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import { getHeapCodeStatistics, getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** Of one thread, bytes. */
interface Held {
  /** In use by objects. */
  objects: number;
  /** And by V8 itself, and buffers outside of its heap. */
  heap: number;
  /** Compiled code, part of `objects`. */
  machineCode: number;
  bytecode: number;
}

const collectedWithinMs = 300;
const sweptWithinMs = 20;
const givenBackMs = 3000;
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

/** Pages up to the bound of each cache come back with the next queries. */
function emptyCaches(): void {
  for (const connection of connections) {
    const db = connection.deref();
    if (db?.open) {
      pragma.call(db, 'shrink_memory');
    } else {
      connections.delete(connection);
    }
  }
}

/** Leaves what is held for good, and counts it. */
function collect(): Held {
  globalThis.gc?.();
  emptyCaches();
  const heap = getHeapStatistics();
  const code = getHeapCodeStatistics();
  return {
    objects: heap.used_heap_size,
    heap: heap.used_heap_size + heap.malloced_memory + heap.external_memory,
    machineCode: code.code_and_metadata_size,
    bytecode: code.bytecode_and_metadata_size,
  };
}

/** jemalloc prints its statistics whenever so many bytes were allocated; 0: it does not. */
const statsInterval = Number(/stats_interval:(\d+)/.exec(process.env.MALLOC_CONF ?? '')?.[1] ?? 0);

/** Allocates and frees as much, so that they are printed now. */
function printAllocatorStatistics(): void {
  const piece = 1_048_576;
  for (let bytes = 0; bytes < statsInterval; bytes += piece) {
    new ArrayBuffer(piece).transfer(0);
  }
}

if (isMainThread) {
  let others: Held[] = [];
  const sum = (of: (thread: Held) => number) => mb(others.reduce((total, thread) => total + of(thread), 0));
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (typeof data === 'object' && data !== null) {
      others.push(data as Held);
    }
  };
  process.on('SIGUSR2', () => {
    others = [];
    threads.postMessage('collect');
    const own = collect();
    const { external, arrayBuffers } = memoryUsage();
    setTimeout(() => {
      // Buffers that were used since then are garbage; they are freed by another thread.
      globalThis.gc?.({ type: 'minor' });
      threads.postMessage('empty caches');
      setTimeout(() => {
        emptyCaches();
        printAllocatorStatistics();
      }, sweptWithinMs);
    }, collectedWithinMs);
    setTimeout(() => {
      const memory = {
        rss: mb(memoryUsage.rss()),
        anonymous: residentMb('RssAnon'),
        files: residentMb('RssFile') + residentMb('RssShmem'),
        heapUsed: mb(own.objects),
        external: mb(external),
        arrayBuffers: mb(arrayBuffers),
        machineCode: mb(own.machineCode),
        bytecode: mb(own.bytecode),
        threadObjects: sum(({ objects }) => objects),
        threadHeaps: sum(({ heap }) => heap),
        threadCode: sum((thread) => thread.machineCode + thread.bytecode),
        threads: others.length,
      };
      writeSync(2, `${JSON.stringify({ memory })}\n`);
    }, givenBackMs);
  });
} else {
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (data === 'collect') {
      threads.postMessage(collect());
    } else if (data === 'empty caches') {
      emptyCaches();
    }
  };
}
threads.unref();
