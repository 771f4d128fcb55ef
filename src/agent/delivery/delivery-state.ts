// The state of the delivery for the status: the last success and the present problem.
import type { Clock } from '#kernel/time/clock.ts';
import type { AgentStatus } from '../status/status-file.ts';

export type DeliveryFacts = AgentStatus['delivery'];
export type FailureKind = NonNullable<DeliveryFacts['failure']>['kind'];

export type DeliveryState = ReturnType<typeof createDeliveryState>;

export function createDeliveryState(clock: Clock) {
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
    delivered(observations: number, hubAheadMs: number | null) {
      change({
        deliveredBatches: facts.deliveredBatches + 1,
        deliveredObservations: facts.deliveredObservations + observations,
        lastDeliveredAt: clock.now(),
        hubAheadMs: hubAheadMs ?? facts.hubAheadMs,
      });
    },
    succeeded: () => change({ failure: null, nextTryAt: null }),
    parked: (reason: string) => change({ lastParked: { at: clock.now(), reason }, failure: null, nextTryAt: null }),
    failed(kind: FailureKind, reason: string): number {
      const failures = (facts.failure?.failures ?? 0) + 1;
      change({ failure: { kind, reason, since: facts.failure?.since ?? clock.now(), failures } });
      return failures;
    },
    waits: (ms: number) => change({ nextTryAt: clock.now() + ms }),
    facts: () => facts,
  };
}
