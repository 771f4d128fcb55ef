// A remote look-up: one address in, facts out.
import type { DestinationFacts } from '../../../record/connections/store/facts.ts';

export interface Found {
  /** Empty when there are none. */
  facts: Partial<DestinationFacts>;
  /** How long the answer is valid. */
  keepMs: number;
}

/** `address` is public and canonical. Rejects when there was no answer. */
export type LookUp = (address: string, signal: AbortSignal) => Promise<Found>;
