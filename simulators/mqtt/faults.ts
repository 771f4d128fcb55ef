// The named ways the simulated MQTT broker misbehaves.
import { numberFrom, requireValue } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/** Every fault with one sentence: what it does, when it shows, and what `value` means. */
export const brokerFaults = {
  silent: 'Accepts TCP (and TLS) and never answers CONNECT.',
  'closed-early': 'Accepts TCP and closes.',
  'not-mqtt': 'Answers as an HTTP server.',
  'auth-refused': 'Refuses every CONNECT as not authorised (return code 5), whatever the password.',
  unavailable: 'Refuses every CONNECT as server unavailable (return code 3).',
  slow: 'Waits `value` ms (5,000 when absent) before it answers CONNECT.',
  'drop-on-publish': 'Closes the connection when a message is published, and forgets the message.',
  'no-ack': 'Never acknowledges a message of QoS 1 or 2, and forgets it.',
} as const;

export type BrokerFault = keyof typeof brokerFaults;

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: BrokerFault, options: FaultOptions): void {
  if (options.command !== undefined) {
    throw new Error(`${fault}: takes no command`);
  }
  requireValue(fault, options, { slow: numberFrom(1, 'a number of milliseconds') });
}
