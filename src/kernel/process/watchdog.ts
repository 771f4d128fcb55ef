// Ends the process when its event loop is blocked, since it can neither answer nor stop by itself then.
import { Worker } from 'node:worker_threads';
import type { Clock } from '../time/clock.ts';
import { startJob } from '../time/job.ts';
import type { Log } from './log.ts';

export interface WatchdogStart {
  /** Grows with each beat of the event loop. */
  beats: SharedArrayBuffer;
  beatMs: number;
  /** 5000 or more. */
  stallMs: number;
  lastWords: string;
}

/** At least five beats fit into the shortest stall. */
const beatMs = 1000;

/**
 * A thread checks once a second whether the event loop still runs. After `stallMs` without a beat it writes `lastWords` to
 * stderr and ends the process by SIGKILL. It counts its own checks, not the time of day: a computer that was asleep does not
 * look like a stall.
 */
export function startWatchdog(
  clock: Clock,
  log: Log,
  options: Pick<WatchdogStart, 'stallMs' | 'lastWords'>,
): AsyncDisposable {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchdogStart = { ...options, beatMs, beats: beats.buffer };
  const worker = new Worker(new URL('./watchdog-worker.ts', import.meta.url), { workerData });
  worker.unref();
  worker.once('error', (error) =>
    log.error({ err: error }, 'the watchdog has ended: a standstill will not be noticed'),
  );
  const beating = startJob(clock, log, {
    name: 'the beat of the event loop',
    everyMs: beatMs,
    async run() {
      Atomics.add(beats, 0, 1);
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      await worker.terminate();
      await beating[Symbol.asyncDispose]();
    },
  };
}
