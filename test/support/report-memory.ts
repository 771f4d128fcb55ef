// Loaded into a program by `--import`: at SIGUSR2 it collects garbage (with `--expose-gc`), lets SQLite give back the pages that
// it caches (`PRAGMA shrink_memory`), and prints what the process and its threads hold, in MiB, as one JSON line on stderr. A
// thread that runs no event loop does not answer, and is left out.
import { readFileSync, writeSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';

const answersWithinMs = 3000;
const threads = new BroadcastChannel('memory of the threads');
const residentMb = (kind: string) =>
  mb(Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024);
const mb = (bytes: number) => Math.round(bytes / 104_857.6) / 10;

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

if (isMainThread) {
  let heaps: number[] = [];
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (typeof data === 'number') {
      heaps.push(data);
    }
  };
  process.on('SIGUSR2', () => {
    giveBack();
    heaps = [];
    threads.postMessage('report');
    setTimeout(() => {
      const { heapUsed, external, arrayBuffers, rss } = memoryUsage();
      const memory = {
        rss: mb(rss),
        anonymous: residentMb('RssAnon'),
        files: residentMb('RssFile') + residentMb('RssShmem'),
        heapUsed: mb(heapUsed),
        external: mb(external),
        arrayBuffers: mb(arrayBuffers),
        threadHeaps: mb(heaps.reduce((sum, bytes) => sum + bytes, 0)),
        threads: heaps.length,
      };
      writeSync(2, `${JSON.stringify({ memory })}\n`);
    }, answersWithinMs);
  });
} else {
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (data === 'report') {
      giveBack();
      const { used_heap_size: used, malloced_memory: malloced, external_memory: external } = getHeapStatistics();
      threads.postMessage(used + malloced + external);
    }
  };
}
threads.unref();
