// Reads again and again; logged off in between, so that people can use the web UI.
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, LoginFailure } from './failure.ts';

/**
 * The first reading at once, the next `everyMs` after the start of the one before, or at once when that took longer. A
 * failed one is told and the next one tried, but a refused password ends it: the product locks accounts. Resolves when
 * `signal` aborts.
 */
export async function watch(
  read: () => Promise<void>,
  everyMs: number,
  onFailure: (failure: Failure) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now();
    try {
      await read();
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      if (!(error instanceof Failure) || error instanceof LoginFailure) {
        throw error;
      }
      onFailure(error);
    }
    await pause(Math.max(0, everyMs - (performance.now() - started)), signal);
  }
}

/** Ends early, and well, when `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
