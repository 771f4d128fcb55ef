// Loaded into a program by `--import`: at SIGUSR2 it collects garbage (with `--expose-gc`) and prints what its main
// thread holds, in MiB, as one JSON line on stderr.
import { writeSync } from 'node:fs';
import { memoryUsage } from 'node:process';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers, rss } = memoryUsage();
  const mb = (bytes: number) => Math.round(bytes / 104_857.6) / 10;
  writeSync(
    2,
    `${JSON.stringify({ memory: { heapUsed: mb(heapUsed), external: mb(external), arrayBuffers: mb(arrayBuffers), rss: mb(rss) } })}\n`,
  );
});
