// SIGINT and SIGTERM as one AbortSignal.
import { constants } from 'node:os';
import { monotonicMs } from '../time/clock.ts';

/** Why `stopSignal` is aborted. `exitCode` is what shells expect of a program that a signal ended: 128 and its number. */
export class StoppedBySignal extends Error {
  readonly exitCode: number;

  constructor(name: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${name}`);
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Aborted by the first SIGINT or SIGTERM. Later ones change nothing: Ctrl-C reaches a program both from the terminal and
 * from the launcher in front of it, and the second must not cut off an orderly stop.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => stop.abort(new StoppedBySignal(name)));
  }
  return stop.signal;
}

/** The terminal and the launcher send the signals of one Ctrl-C within this time. */
const oneKeyMs = 500;

/** Ends the program at once when a second SIGINT or SIGTERM follows the one that aborted `stop`. */
export function endAtSecondSignal(stop: AbortSignal): void {
  const listen = () => {
    const stoppedMs = monotonicMs();
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (monotonicMs() - stoppedMs > oneKeyMs) {
          process.exit(new StoppedBySignal(name).exitCode);
        }
      });
    }
  };
  stop.addEventListener('abort', listen);
}
