// Asks /healthz at a fixed pace, whether earlier questions were answered or not: a blocked loop cannot hide.
import { Agent, request } from 'undici';
import { stopwatch, systemClock } from '#kernel/clock.ts';

export interface HealthProbe extends AsyncDisposable {
  /** Answers since the last call: how long each took in milliseconds, and what was not a 200. */
  take(): Promise<HealthSamples>;
}

export interface HealthSamples {
  elapsedMs: number[];
  failed: string[];
}

export function startHealthProbe(hub: URL, everyMs = 20): HealthProbe {
  const dispatcher = new Agent({ connections: 64, pipelining: 1 });
  const address = new URL('/healthz', hub);
  const stop = new AbortController();
  let samples: HealthSamples = { elapsedMs: [], failed: [] };
  let open: Promise<void>[] = [];

  const ask = async () => {
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
  };
  const run = async () => {
    const elapsed = stopwatch();
    for (let turn = 1; !stop.signal.aborted; turn++) {
      open.push(ask());
      await systemClock.sleep(Math.max(0, turn * everyMs - elapsed()), stop.signal).catch(() => undefined);
    }
  };
  const running = run();

  return {
    async take() {
      const taken = samples;
      const asked = open;
      samples = { elapsedMs: [], failed: [] };
      open = [];
      await Promise.all(asked);
      return taken;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await Promise.all(open);
      await dispatcher.close();
    },
  };
}

/** The value below which the share `of` of all values lies; NaN without values. */
export function quantile(values: readonly number[], of: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? Number.NaN;
}
