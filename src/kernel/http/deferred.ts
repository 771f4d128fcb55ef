// Handlers of a service that is starting or paused: 503 until the real ones exist.
import { AppError } from '../errors.ts';
import type { Handlers, RouteTable } from './route.ts';

/** Calls in progress, which are ended when the service pauses. */
export class CallsUnderWay {
  #refusals = new Set<(reason: Error) => void>();

  /** Settles as `work` does, or rejects with the reason of an `endAll` before that. */
  async race<T>(work: T | Promise<T>): Promise<T> {
    const refusal = Promise.withResolvers<never>();
    this.#refusals.add(refusal.reject);
    try {
      return await Promise.race([work, refusal.promise]);
    } finally {
      this.#refusals.delete(refusal.reject);
    }
  }

  endAll(reason: Error): void {
    for (const refuse of this.#refusals) {
      refuse(reason);
    }
  }
}

/** Handlers that call those of `ready()`; AppError `not_ready` while it returns none. `calls` can end a call. */
export function deferred<T extends RouteTable<unknown>, P>(
  routes: T,
  ready: () => Handlers<T, P> | undefined,
  calls?: CallsUnderWay,
): Handlers<T, P> {
  const call = (name: keyof T) => (given: never) => {
    const handlers = ready();
    if (!handlers) {
      throw new AppError('not_ready', 'the hub is still starting: try again in a moment');
    }
    const answer = handlers[name](given);
    return calls ? calls.race(answer) : answer;
  };
  return Object.fromEntries(Object.keys(routes).map((name) => [name, call(name)])) as unknown as Handlers<T, P>;
}
