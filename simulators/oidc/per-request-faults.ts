// Which misbehaviour shows in a request to the issuer; `wrong-issuer` shows in one place only.
import { createRequestFaults as createSharedRequestFaults } from '../support/per-request-faults.ts';
import type { IssuerFaults, WrongIssuerPlace } from './faults.ts';

export type RequestFaults = ReturnType<typeof createRequestFaults>;

export function createRequestFaults(faults: IssuerFaults) {
  const { take, answered } = createSharedRequestFaults(faults);
  return {
    take,
    /** The same for `wrong-issuer`, which shows in one place only. */
    takeWrongIssuer(request: object, place: WrongIssuerPlace): boolean {
      const next = answered(request, 'wrong-issuer') ?? faults.armed('wrong-issuer');
      return next !== null && (next.value ?? 'token') === place && take(request, 'wrong-issuer') !== null;
    },
  };
}
