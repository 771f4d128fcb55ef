// One request uses up one occasion of a fault, in however many places the fault shows.
import type { Armed } from '../armed-faults.ts';
import type { IssuerFault, IssuerFaults, IssuerPlace } from './faults.ts';

export interface Occasions {
  /** Whether the fault shows in this request; the first question uses up one occasion. */
  take(request: object, fault: IssuerFault, path?: string): Armed<IssuerFault> | null;
  /** The same for `wrong-issuer`, which shows in one place only. */
  takeWrongIssuer(request: object, place: IssuerPlace): boolean;
}

export function createOccasions(faults: IssuerFaults): Occasions {
  const taken = new WeakMap<object, Map<IssuerFault, Armed<IssuerFault> | null>>();
  const take: Occasions['take'] = (request, fault, path) => {
    const answers = taken.get(request) ?? new Map<IssuerFault, Armed<IssuerFault> | null>();
    taken.set(request, answers);
    const known = answers.get(fault);
    if (known !== undefined) {
      return known;
    }
    const answer = faults.take(fault, path);
    answers.set(fault, answer);
    return answer;
  };
  return {
    take,
    takeWrongIssuer: (request, place) => {
      const already = taken.get(request)?.get('wrong-issuer');
      const next = already ?? faults.armed('wrong-issuer');
      return next !== null && (next.value ?? 'token') === place && take(request, 'wrong-issuer') !== null;
    },
  };
}
