// A simulator as its users have it: one object with its address, its credentials and everything that can be asked of it.

/** Adds `own` to the control surface. Members that are read anew each time stay so, which a spread would not do. */
export function toRunning<C extends object, Own extends object>(control: C, own: Own): C & Own {
  return Object.defineProperties(control, Object.getOwnPropertyDescriptors(own)) as C & Own;
}

/** Returns `name` as one of the faults. Throws, with all their names, when it is none. */
export function requireFault<F extends string>(faults: Readonly<Record<F, string>>, name: string): F {
  if (!Object.hasOwn(faults, name)) {
    throw new Error(`there is no fault "${name}"; there are ${Object.keys(faults).join(', ')}`);
  }
  return name as F;
}
