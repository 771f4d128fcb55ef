// Which misbehaviour shows in a request to the issuer; `wrong-issuer` shows in one place only.
import type { Armed } from '../support/armed-faults.ts';
import { createRequestFaults as createFaultsOf } from '../support/per-request-faults.ts';
import type { IssuerFault, IssuerFaults, IssuerPlace } from './faults.ts';

export interface RequestFaults {
  /** Whether the fault shows in this request; the first question uses up one occasion. */
  take(request: object, fault: IssuerFault, path?: string): Armed<IssuerFault> | null;
  /** The same for `wrong-issuer`, which shows in one place only. */
  takeWrongIssuer(request: object, place: IssuerPlace): boolean;
}

export function createRequestFaults(faults: IssuerFaults): RequestFaults {
  const { take, answered } = createFaultsOf(faults);
  return {
    take,
    takeWrongIssuer: (request, place) => {
      const next = answered(request, 'wrong-issuer') ?? faults.armed('wrong-issuer');
      return next !== null && (next.value ?? 'token') === place && take(request, 'wrong-issuer') !== null;
    },
  };
}
