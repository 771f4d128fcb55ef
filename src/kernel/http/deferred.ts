// Handlers of a service that is still starting: 503 until they are ready.
import { AppError } from '../errors.ts';
import type { Handlers, RouteTable } from './route.ts';

/** Handlers that call those of `ready()`, or refuse with AppError `not_ready` while there are none. */
export function deferred<T extends RouteTable<unknown>, P>(
  routes: T,
  ready: () => Handlers<T, P> | undefined,
): Handlers<T, P> {
  const call = (name: keyof T) => (given: never) => {
    const handlers = ready();
    if (!handlers) {
      throw new AppError('not_ready', 'the hub is still starting: try again in a moment');
    }
    return handlers[name](given);
  };
  return Object.fromEntries(Object.keys(routes).map((name) => [name, call(name)])) as unknown as Handlers<T, P>;
}
