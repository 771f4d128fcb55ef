// The named ways the simulated ClickHouse misbehaves.
import { anyText, requireValue, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, and what `value` means. `times` restricts a fault to so many requests, `skip`
 * lets so many pass first, `command` restricts it to requests that begin so (`INSERT`, `SELECT`).
 */
export const clickHouseFaults = {
  unavailable: 'HTTP 503 with a page of a proxy; nothing is carried out.',
  slow: 'The request is carried out after `value` milliseconds, 1000 when absent.',
  'no-answer': 'The request is taken and never answered; nothing is carried out.',
  'lost-answer': 'The request is carried out, then the connection is cut before the answer.',
  'cut-connection': 'The connection is cut and nothing is carried out.',
  'bad-row': 'An insert is refused with code 27; with `value` only one whose rows contain that text.',
  'wrong-password': 'HTTP 403 with code 516, whatever the password.',
  'not-allowed': 'HTTP 403 with code 497: the user has no right to it.',
  'table-missing': 'HTTP 404 with code 60: there is no such table.',
  'disk-full': 'HTTP 500 with code 243: the disk of the server is full.',
} as const;

export type ClickHouseFault = keyof typeof clickHouseFaults;

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: ClickHouseFault, options: FaultOptions): void {
  requireValue(fault, options, { slow: wholeNumber(0), 'bad-row': anyText });
}
