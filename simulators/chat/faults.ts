// The named ways the simulated chat workspace misbehaves.
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, and what `value` means. `command` restricts a fault to methods that start
 * so (`chat.postMessage`), `times` to so many calls, `skip` lets so many pass first.
 */
export const chatFaults = {
  invalid_auth: 'Every token is answered with `invalid_auth`.',
  error: 'The call is refused with the code in `value`, such as `channel_not_found`.',
  'rate-limited': 'HTTP 429 with `Retry-After`: `value` seconds, 30 when absent.',
  'server-error': 'HTTP 500, or the status in `value`, with an HTML page.',
  'no-answer': 'The call is taken and never answered; nothing comes of it.',
  'late-answer': 'The call is carried out and answered when the faults are cleared, not before.',
  'lost-answer': 'The call is carried out, then the connection is cut before the answer.',
  'cut-connection': 'The connection is cut before the call is carried out.',
  'malformed-json': 'The call is carried out and answered with half of its JSON.',
  'html-answer': 'HTTP 200 with an HTML page instead of JSON, as a captive portal gives it.',
  'large-answer': 'HTTP 200 with two megabytes of JSON.',
} as const;

export type ChatFault = keyof typeof chatFaults;

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: ChatFault, { value }: FaultOptions): void {
  const isCode = typeof value === 'string' && /^[a-z_]{1,64}$/.test(value);
  const isNumber = value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 0);
  if (fault === 'error' ? !isCode : !isNumber) {
    throw new Error(`${fault}: value is ${fault === 'error' ? 'an error code' : 'a whole number'}`);
  }
}
