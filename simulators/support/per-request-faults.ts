// One request uses up one occasion of a fault, in however many places the fault shows.
import type { Armed, ArmedFaults } from './armed-faults.ts';

export function createRequestFaults<Fault extends string>(faults: ArmedFaults<Fault>) {
  const taken = new WeakMap<object, Map<Fault, Armed<Fault> | null>>();
  return {
    /** Whether the fault shows in this request; the first question uses up one occasion. */
    take(request: object, fault: Fault, path?: string): Armed<Fault> | null {
      const answers = taken.get(request) ?? new Map<Fault, Armed<Fault> | null>();
      taken.set(request, answers);
      const known = answers.get(fault);
      if (known !== undefined) {
        return known;
      }
      const answer = faults.take(fault, path);
      answers.set(fault, answer);
      return answer;
    },
    /** What `take` has answered for this request already; undefined when it was not asked. */
    answered: (request: object, fault: Fault) => taken.get(request)?.get(fault),
  };
}
