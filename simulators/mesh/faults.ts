// The named ways the simulated mesh access point misbehaves.
import { requireValue, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, and what `value` means. `command` restricts a fault to paths that start so
 * (`/login`), `times` to so many requests, `skip` lets so many pass first.
 */
export const meshFaults = {
  'nonce-refused': 'The login page answers 500 to the question for a nonce.',
  'empty-nonce': 'The login page answers with an empty nonce.',
  'login-refused': 'The right password is answered as a wrong one.',
  'session-lost': 'The session is over when the request arrives, as after a restart of the access point.',
  'server-error': 'HTTP 500, or the status in `value`, with an HTML page.',
  'html-answer': 'HTTP 200 with an HTML page instead of JSON, as a captive portal gives it.',
  truncated: 'Half of the JSON.',
  'no-answer': 'The request is taken and never answered.',
  'cut-connection': 'The connection is cut before the answer.',
  'large-answer': 'HTTP 200 with two megabytes of JSON.',
  nonsense: 'The list of what is connected holds entries that make no sense among those that do.',
} as const;

export type MeshFault = keyof typeof meshFaults;

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: MeshFault, options: FaultOptions): void {
  requireValue(fault, options, { 'server-error': wholeNumber(400, 599, 'a status from 400 to 599') });
}
