// Batches of at most as many observations as the hub accepts at once. A retry repeats the id of its batch.
import { z } from 'zod';
import { type AgentFacts, agentFacts } from '#contract/agent-ingest.ts';
import { createId } from '#kernel/text/secret.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import type { Observation } from './observations.ts';

/** A batch as it is stored. The time of sending is added when it is sent. */
export const batch = z.object({
  schemaVersion: z.literal(1),
  batchId: z.string(),
  agent: agentFacts,
  observations: z.array(z.custom<Observation>((value) => typeof value === 'object' && value !== null)).min(1),
});
export type Batch = z.output<typeof batch>;

export interface BatchLimits {
  maxObservationsPerBatch: number;
  maxBodyBytes: number;
}

/** In the order of the observations. */
export function toBatches(observations: readonly Observation[], agent: AgentFacts, most: BatchLimits): Batch[] {
  const room = most.maxBodyBytes - limits.envelopeBytes;
  const parts: Observation[][] = [];
  let part: Observation[] = [];
  let bytes = 0;
  for (const one of observations) {
    const size = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (part.length > 0 && (part.length >= most.maxObservationsPerBatch || bytes + size > room)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(one);
    bytes += size;
  }
  return [...parts, ...(part.length > 0 ? [part] : [])].map((of) => ({
    schemaVersion: 1,
    batchId: createId(),
    agent,
    observations: of,
  }));
}
