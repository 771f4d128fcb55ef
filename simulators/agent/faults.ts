// The named ways a simulated Agent misbehaves.
import type { ArmedFaults } from '../support/armed-faults.ts';
import { requireValue, type ValueRule, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, and what `value` means. `command` restricts a fault to Agents whose host
 * name begins so, `times` to so many batches (or rotations, claims, applications), `skip` lets so many pass first.
 */
export const agentFaults = {
  'ignores-ack': 'Delivers a batch again, unchanged, after it was acknowledged.',
  'new-id-on-retry': 'A retry gets another batch id, with the same observations.',
  'replay-other-content': 'Sends other observations under the id of a batch that was acknowledged.',
  'clock-ahead': 'All times of the batch are an hour ahead.',
  'clock-behind': 'All times of the batch are an hour behind.',
  'far-future': 'The observations are two days in the future.',
  'outside-retention': 'The observations are eight days old.',
  'oversize-count': 'The batch has 201 observations.',
  'oversize-bytes': 'The batch is filled with blanks to more than 512 KiB.',
  compressed: 'The body is compressed with gzip, and says so.',
  'bad-json': 'The body is the first half of the JSON.',
  'wrong-schema-version': 'The batch has schema version 2, or `value`.',
  'unknown-field': 'The batch and its first observation have a member that no schema knows.',
  'local-time': 'Times are written with the offset +09:00 instead of Z.',
  'leading-zeros': 'Byte counters begin with zeros.',
  flood: 'Sends again at once after each 429, up to `value` times (50) for a batch.',
  parallel: 'Sends eight batches at once.',
  'slow-body': 'Sends one byte of the body each second, or each `value` ms.',
  'never-ends-body': 'Sends the headers of a batch, and then nothing.',
  'revoked-token-kept': 'Goes on with a bearer that was revoked or refused.',
  'old-token-kept': 'Goes on with the bearer from before the last rotation.',
  'loses-rotation-reply':
    'Cuts the connection unread when the answer to a rotation begins, or `value` ms after asking.',
  'loses-ack': 'Cuts the connection unread when the ACK begins, or `value` ms after sending, and sends again at once.',
  'claims-twice': 'Claims its bearer a second time after it has got it.',
  'guesses-codes': 'Applies with six wrong codes before the right one.',
  'foreign-batch-id': 'Sends under the id of a batch of another Agent of this simulator, when that has sent one.',
  'bearer-elsewhere': 'Before a batch, sends its bearer to /api/connections, as Bearer and as X-Admin-Token.',
} as const;

export type AgentFault = keyof typeof agentFaults;
export type AgentFaults = ArmedFaults<AgentFault>;

const values: Partial<Record<AgentFault, ValueRule>> = {
  'wrong-schema-version': wholeNumber(0, 2_147_483_647),
  flood: wholeNumber(1, 10_000),
  'slow-body': wholeNumber(1, 600_000),
  'loses-rotation-reply': wholeNumber(0, 600_000),
  'loses-ack': wholeNumber(0, 600_000),
};

/** Throws, naming the fault, when its options cannot be meant by a simulator of `count` Agents. */
export function requireFaultOptions(fault: AgentFault, options: FaultOptions, count: number): void {
  if (options.afterBytes !== undefined) {
    throw new Error(`${fault}: takes no afterBytes`);
  }
  requireValue(fault, options, values);
  if (fault === 'foreign-batch-id' && count < 2) {
    throw new Error(`${fault}: needs a second Agent; start the simulator with a count of 2 or more`);
  }
}
