// Maps signals to an AbortSignal: the program stops, cleans up and exits. A second signal does not skip the cleanup.
import { constants } from 'node:os';
import { Interrupted } from './failure.ts';

const heard = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts with an `Interrupted` at the first signal. The handlers stay installed, so that later signals are ignored. */
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

/** Its signal aborts `ms` after `signal`, with the same reason. Disposing removes the listener. */
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
