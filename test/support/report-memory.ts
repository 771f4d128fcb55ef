// Loaded into a program by `--import`: at SIGUSR2 it collects garbage (with `--expose-gc`) and prints what the process and
// its threads hold, in MiB, as one JSON line on stderr. A thread that runs no event loop does not answer, and is left out.
import { readFileSync, writeSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const answersWithinMs = 3000;
const threads = new BroadcastChannel('memory of the threads');
const residentMb = (kind: string) =>
  mb(Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024);
const mb = (bytes: number) => Math.round(bytes / 104_857.6) / 10;

if (isMainThread) {
  let heaps: number[] = [];
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (typeof data === 'number') {
      heaps.push(data);
    }
  };
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    heaps = [];
    threads.postMessage('report');
    setTimeout(() => {
      const { heapUsed, external, rss } = memoryUsage();
      const memory = {
        rss: mb(rss),
        anonymous: residentMb('RssAnon'),
        files: residentMb('RssFile') + residentMb('RssShmem'),
        heapUsed: mb(heapUsed),
        external: mb(external),
        threadHeaps: mb(heaps.reduce((sum, bytes) => sum + bytes, 0)),
        threads: heaps.length,
      };
      writeSync(2, `${JSON.stringify({ memory })}\n`);
    }, answersWithinMs);
  });
} else {
  threads.onmessage = ({ data }: { data: unknown }) => {
    if (data === 'report') {
      globalThis.gc?.();
      const { used_heap_size: used, malloced_memory: malloced, external_memory: external } = getHeapStatistics();
      threads.postMessage(used + malloced + external);
    }
  };
}
threads.unref();
