// Signals as an AbortSignal: the program stops what it does, cleans up and ends; a second signal does not cut that short.
import { constants } from 'node:os';
import { Interrupted } from './failure.ts';

const heard = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts with an `Interrupted` at the first signal. Handlers stay, so that later ones change nothing. */
export function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of heard) {
    process.on(name, () => controller.abort(new Interrupted(name, constants.signals[name])));
  }
  return controller.signal;
}

export interface GracePeriod extends Disposable {
  readonly signal: AbortSignal;
}

/** Its signal aborts `ms` after `signal` does, for the same reason. Disposing takes its listener off `signal`. */
export function withGracePeriod(signal: AbortSignal, ms: number): GracePeriod {
  const controller = new AbortController();
  const later = () => AbortSignal.timeout(ms).addEventListener('abort', () => controller.abort(signal.reason));
  if (signal.aborted) {
    later();
  } else {
    signal.addEventListener('abort', later, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => signal.removeEventListener('abort', later),
  };
}
