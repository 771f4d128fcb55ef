// The thread of health-probe.ts: asks at a fixed pace, whether earlier questions were answered or not.
import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import type { HealthSamples, HealthThreadStart } from './health-probe.ts';

const { address, everyMs } = workerData as HealthThreadStart;
const dispatcher = new Agent({ connections: 64, pipelining: 1 });
let samples: HealthSamples = { elapsedMs: [], failed: [] };
let open: Promise<void>[] = [];

async function ask(): Promise<void> {
  const elapsed = stopwatch();
  const into = samples;
  try {
    const { statusCode, body } = await request(address, { dispatcher, headersTimeout: 30_000 });
    await body.dump();
    into.elapsedMs.push(elapsed());
    if (statusCode !== 200) {
      into.failed.push(String(statusCode));
    }
  } catch (error) {
    into.failed.push(String(error));
  }
}

async function run(signal: AbortSignal): Promise<void> {
  const elapsed = stopwatch();
  for (let turn = 1; !signal.aborted; turn++) {
    open.push(ask());
    await systemClock.sleep(Math.max(0, turn * everyMs - elapsed()), signal).catch(() => undefined);
  }
}

const stop = new AbortController();
const running = run(stop.signal);

parentPort?.on('message', async (message: 'take' | 'stop') => {
  const [taken, asked] = [samples, open];
  samples = { elapsedMs: [], failed: [] };
  open = [];
  if (message === 'stop') {
    stop.abort();
    await running;
  }
  await Promise.all(asked);
  parentPort?.postMessage(taken);
  if (message === 'stop') {
    await dispatcher.close();
    parentPort?.close();
  }
});
