// The program of the thread of watchdog.ts. It must not use anything that the watched thread can block.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogStart } from './watchdog.ts';

const { beats: shared, beatMs, stallMs, lastWords } = workerData as WatchdogStart;
const beats = new Int32Array(shared);
const never = new Int32Array(new SharedArrayBuffer(4));

for (let last = Atomics.load(beats, 0), missed = 0; ; ) {
  Atomics.wait(never, 0, 0, beatMs);
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed * beatMs >= stallMs) {
    end();
  }
}

function end(): void {
  try {
    writeSync(2, `${lastWords}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
