// Reads repeatedly and logs off in between, so that people can use the web UI.
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, LoginFailure } from './failure.ts';

/**
 * Starts a reading every `everyMs`, the first at once; a late one starts immediately. Reports failures and continues,
 * but ends after a refused password, because the product locks accounts. Resolves when `signal` is aborted.
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
