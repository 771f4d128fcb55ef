// Asks /healthz at a fixed pace, in a thread of its own: neither a blocked hub nor a busy asker can hide or add anything.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface HealthProbe extends AsyncDisposable {
  /** Answers since the last call: how long each took in milliseconds, and what was not a 200. */
  take(): Promise<HealthSamples>;
}

export interface HealthSamples {
  elapsedMs: number[];
  failed: string[];
}

export interface HealthThreadStart {
  address: string;
  everyMs: number;
}

export function startHealthProbe(hub: URL, everyMs = 20): HealthProbe {
  const start: HealthThreadStart = { address: new URL('/healthz', hub).href, everyMs };
  const thread = new Worker(new URL('./health-probe-thread.ts', import.meta.url), { workerData: start });
  const tell = async (message: 'take' | 'stop') => {
    const answer = once(thread, 'message');
    thread.postMessage(message);
    const [samples] = (await answer) as [HealthSamples];
    return samples;
  };
  return {
    take: () => tell('take'),
    async [Symbol.asyncDispose]() {
      const exit = once(thread, 'exit');
      await tell('stop');
      await exit;
    },
  };
}

/** The value below which the share `of` of all values lies; NaN without values. */
export function quantile(values: readonly number[], of: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? Number.NaN;
}
