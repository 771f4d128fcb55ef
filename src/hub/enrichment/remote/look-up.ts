// What a look-up beyond the hub is: one address in, facts out.
import type { DestinationFacts } from '../../connections/store/facts.ts';

export interface Found {
  /** Empty when there is nothing to be known. */
  facts: Partial<DestinationFacts>;
  /** How long the answer holds. */
  keepMs: number;
}

/** `address` is public and canonical. Rejects when there was no answer. */
export type LookUp = (address: string, signal: AbortSignal) => Promise<Found>;
