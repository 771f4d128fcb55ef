// The named ways the simulated trapper listener misbehaves.
import { requireValue, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/** Every fault with one sentence: what it does, when it shows, and what `value` means. */
export const trapperFaults = {
  partial: 'Says that `value` values (1 when absent) of the batch could not be processed, and keeps the others.',
  'all-failed': 'Says that no value of the batch could be processed.',
  failed: 'Answers that the whole request failed.',
  garbage: 'Answers with bytes that are no frame.',
  'not-json': 'Answers with a frame whose body is no JSON.',
  'half-frame': 'Sends half of the answer and closes.',
  close: 'Reads the request and closes without an answer.',
  hang: 'Reads the request and never answers.',
  'closed-early': 'Accepts TCP and closes.',
  slow: 'Waits `value` ms (5,000 when absent) before it answers.',
} as const;

export type TrapperFault = keyof typeof trapperFaults;

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: TrapperFault, options: FaultOptions): void {
  if (options.command !== undefined) {
    throw new Error(`${fault}: takes no command`);
  }
  const rule = wholeNumber(1, undefined, 'a whole number of 1 or more');
  requireValue(fault, options, { partial: rule, slow: rule });
}
