// The faults that a test can switch on in the simulated mesh access point.
import { requireValue, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * What each fault does, for the help of the control surface. Options of every fault: `command` is the start of the paths
 * that it affects (`/login`), `skip` the number of requests that pass first, `times` the number that then fail.
 */
export const meshFaults = {
  'nonce-refused': 'A request for a login nonce is answered with HTTP 500.',
  'empty-nonce': 'A request for a login nonce is answered with an empty one.',
  'login-refused': 'The right password is refused like a wrong one.',
  'session-lost': 'All sessions end before the list of the network is read, as after a restart of the access point.',
  'server-error': 'The answer is HTTP 500, or the status in `value`, with an HTML page.',
  'html-answer': 'The answer is HTTP 200 with an HTML page instead of JSON, as from a captive portal.',
  truncated: 'The answer holds only the first half of its text; its Content-Length is that of the half.',
  'no-answer': 'The request is read and never answered.',
  'cut-connection': 'The connection is cut before the answer.',
  'large-answer': 'The answer is HTTP 200 with two megabytes of JSON: an empty network and padding.',
  nonsense:
    'The list of the network has invalid entries besides the valid ones: no MAC, an unknown node, an impossible signal.',
} as const;

export type MeshFault = keyof typeof meshFaults;

/** Throws when `value` does not fit the fault: only `server-error` takes one. */
export function requireFaultOptions(fault: MeshFault, options: FaultOptions): void {
  requireValue(fault, options, { 'server-error': wholeNumber(400, 599, 'a status from 400 to 599') });
}
