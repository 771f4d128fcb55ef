// Turns connections into observations for the hub: the parts of one connection become one observation.

import type { z } from 'zod';
import { agentObservation } from '#contract/agent-ingest.ts';
import { createId } from '#kernel/text/secret.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { SeenConnection } from '../sources/connection.ts';

export type Observation = z.input<typeof agentObservation>;

const largestCounter = 2n ** 64n - 1n;

/** `unusable` counts connections that every hub refuses. */
export function toObservations(seen: readonly SeenConnection[]): { observations: Observation[]; unusable: number } {
  const groups = Map.groupBy(seen, toGroupKey);
  const all = [...groups.values()].map((parts) => toObservation(parts.reduce(merge)));
  const observations = all.filter((one) => agentObservation.safeParse(one).success);
  return { observations, unusable: all.length - observations.length };
}

function toGroupKey(seen: SeenConnection): string {
  const { networkProtocol, localAddress, localPort, remoteAddress, remotePort, processID, processName } = seen;
  return JSON.stringify([networkProtocol, localAddress, localPort, remoteAddress, remotePort, processID, processName]);
}

/** Source and confidence are those of an exact part, if there is one. Bytes that no part knows stay unknown. */
function merge(one: SeenConnection, other: SeenConnection): SeenConnection {
  const best = one.confidence === 'exact' ? one : other;
  return {
    ...best,
    firstObservedAt: Math.min(one.firstObservedAt, other.firstObservedAt),
    lastObservedAt: Math.max(one.lastObservedAt, other.lastObservedAt),
    bytesIn: sum(one.bytesIn, other.bytesIn),
    bytesOut: sum(one.bytesOut, other.bytesOut),
  };
}

const sum = (one: bigint | null, other: bigint | null) => (one === null ? other : other === null ? one : one + other);

function toObservation(seen: SeenConnection): Observation {
  return {
    observationId: createId(),
    networkProtocol: seen.networkProtocol,
    localAddress: seen.localAddress,
    localPort: seen.localPort,
    remoteAddress: seen.remoteAddress,
    remotePort: seen.remotePort,
    processID: seen.processID,
    processName: visibleText(seen.processName, 256) || 'unknown',
    bundleID: null,
    firstObservedAt: isoTime(seen.firstObservedAt),
    // The clock may have been set back between the parts.
    lastObservedAt: isoTime(Math.max(seen.firstObservedAt, seen.lastObservedAt)),
    bytesIn: counterText(seen.bytesIn),
    bytesOut: counterText(seen.bytesOut),
    collector: seen.collector,
    confidence: seen.confidence,
  };
}

function counterText(value: bigint | null): string | null {
  return value === null || value < 0n ? null : String(value > largestCounter ? largestCounter : value);
}
