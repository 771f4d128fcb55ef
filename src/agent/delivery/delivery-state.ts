// How the delivery goes, for the status: what was delivered last, and what is wrong now.
import type { Clock } from '#kernel/time/clock.ts';

/** `disk`: this machine cannot read or change what waits. The others are answers of the hub, or none. */
export type FailureKind = 'refused' | 'wait' | 'retry' | 'disk';

export interface DeliveryFacts {
  deliveredBatches: number;
  deliveredObservations: number;
  lastDeliveredAt: number | null;
  /** What keeps the next batch from being sent; null: nothing. */
  failure: { kind: FailureKind; reason: string; since: number; failures: number } | null;
  nextTryAt: number | null;
  lastParked: { at: number; reason: string } | null;
  /** How far the clock of the hub is ahead of the clock here; null until it is known. */
  hubAheadMs: number | null;
}

export interface DeliveryState {
  delivered(observations: number, hubAheadMs: number | null): void;
  succeeded(): void;
  parked(reason: string): void;
  /** The number of failures in a row. */
  failed(kind: FailureKind, reason: string): number;
  waits(ms: number): void;
  facts(): DeliveryFacts;
}

export function createDeliveryState(clock: Clock): DeliveryState {
  let facts: DeliveryFacts = {
    deliveredBatches: 0,
    deliveredObservations: 0,
    lastDeliveredAt: null,
    failure: null,
    nextTryAt: null,
    lastParked: null,
    hubAheadMs: null,
  };
  const change = (part: Partial<DeliveryFacts>) => {
    facts = { ...facts, ...part };
  };
  return {
    delivered(observations, hubAheadMs) {
      change({
        deliveredBatches: facts.deliveredBatches + 1,
        deliveredObservations: facts.deliveredObservations + observations,
        lastDeliveredAt: clock.now(),
        hubAheadMs: hubAheadMs ?? facts.hubAheadMs,
      });
    },
    succeeded: () => change({ failure: null, nextTryAt: null }),
    parked: (reason) => change({ lastParked: { at: clock.now(), reason }, failure: null, nextTryAt: null }),
    failed(kind, reason) {
      const failures = (facts.failure?.failures ?? 0) + 1;
      change({ failure: { kind, reason, since: facts.failure?.since ?? clock.now(), failures } });
      return failures;
    },
    waits: (ms) => change({ nextTryAt: clock.now() + ms }),
    facts: () => facts,
  };
}
