// Handlers of something that is still being built: 503 until it is there.
import { AppError } from '../errors.ts';
import type { Handlers, RouteTable } from './route.ts';

/** Handlers that `build` makes from `ready()` at the first call after it is there. */
export function deferred<T extends RouteTable<unknown>, P, C>(
  routes: T,
  ready: () => C | undefined,
  build: (ctx: C) => Handlers<T, P>,
): Handlers<T, P> {
  const built = new WeakMap<C & object, Handlers<T, P>>();
  const handlers = () => {
    const ctx = ready();
    if (typeof ctx !== 'object' || ctx === null) {
      throw new AppError('not_ready', 'the hub is still starting: try again in a moment');
    }
    const made = built.get(ctx) ?? build(ctx);
    built.set(ctx, made);
    return made;
  };
  return Object.fromEntries(
    Object.keys(routes).map((name) => [name, (call: never) => handlers()[name as keyof T](call)]),
  ) as unknown as Handlers<T, P>;
}
