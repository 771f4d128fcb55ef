// Which of a simulator's named faults are armed now, and for how many more occasions.
import type { FaultOptions } from './simulator.ts';

export interface Armed<Fault extends string> extends FaultOptions {
  fault: Fault;
  /** Occasions left; null = until cleared. */
  left: number | null;
}

export type ArmedFaults<Fault extends string> = ReturnType<typeof createArmedFaults<Fault>>;

export function createArmedFaults<Fault extends string>() {
  const all: Armed<Fault>[] = [];
  const find = (fault: Fault, command?: string) =>
    all.find(
      (one) =>
        one.fault === fault &&
        one.left !== 0 &&
        (one.command === undefined || command?.trimStart().startsWith(one.command) === true),
    ) ?? null;
  return {
    arm(fault: Fault, options: FaultOptions = {}): Armed<Fault> {
      const armed = { ...options, fault, left: options.times ?? null };
      all.push(armed);
      return armed;
    },
    clear: (): void => {
      all.length = 0;
    },
    /** As `take`, but uses nothing up. */
    armed(fault: Fault, command?: string): Armed<Fault> | null {
      const found = find(fault, command);
      return (found?.skip ?? 0) > 0 ? null : found;
    },
    /** Uses up one occasion of the fault and tells its options; null when it is not armed for `command`. */
    take(fault: Fault, command?: string): Armed<Fault> | null {
      const found = find(fault, command);
      if (found?.skip !== undefined && found.skip > 0) {
        found.skip -= 1;
        return null;
      }
      if (found?.left !== null && found !== null) {
        found.left -= 1;
        if (found.left === 0) {
          all.splice(all.indexOf(found), 1);
        }
      }
      return found;
    },
    list: (): readonly Armed<Fault>[] => all,
  };
}
