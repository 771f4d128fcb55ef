// A simulator as its users have it: one object with its address, its credentials and everything that can be asked of it.
import type { Control, Entry, FaultOptions, Simulator } from './simulator.ts';

type Started = Pick<Simulator<Control<never>>, typeof Symbol.asyncDispose> & { readonly control: object };

/** A running simulator. `await using` stops it: its ports are closed and nothing is left. */
export type Running<S extends Started> = Omit<S, 'control'> &
  Omit<S['control'], 'journal'> & {
    /** The newest 10,000 things that arrived or happened, oldest first, with secrets masked. */
    journal(): readonly Entry[];
  };

interface Controlled<F extends string> extends Started {
  readonly control: Control<F>;
}

/** `faults` has every fault of the simulator by its name. */
export function toRunning<F extends string, S extends Controlled<F>>(
  simulator: S,
  faults: Readonly<Record<F, string>>,
): Running<S> {
  const { control: _, ...own } = Object.getOwnPropertyDescriptors(simulator);
  const { control } = simulator;
  const fail = (fault: F, options?: FaultOptions) => control.fail(requireFault(faults, fault), options);
  // Descriptors, because some members are read anew each time: a spread would keep the value that they had at the start.
  return Object.defineProperties({} as Running<S>, {
    ...(own as PropertyDescriptorMap),
    ...Object.getOwnPropertyDescriptors(control),
    fail: { value: fail, enumerable: true },
    journal: { value: () => [...control.journal], enumerable: true },
  });
}

/** Returns `name` as one of the faults. Throws, with all their names, when it is none. */
export function requireFault<F extends string>(faults: Readonly<Record<F, string>>, name: string): F {
  if (!Object.hasOwn(faults, name)) {
    throw new Error(`there is no fault "${name}"; there are ${Object.keys(faults).join(', ')}`);
  }
  return name as F;
}
