// The status file (`status.json`), which a running Agent writes every few seconds.
import { z } from 'zod';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { readInput } from '#kernel/text/problem.ts';
import type { AgentFiles } from '../folder.ts';

const at = z.int();

export const agentStatus = z.object({
  pid: z.int(),
  at,
  startedAt: at,
  hubUrl: z.string(),
  sources: z.array(
    z.object({
      name: z.string(),
      active: z.boolean(),
      reason: z.string().nullable(),
      cannotSee: z.array(z.string()),
    }),
  ),
  counters: z.object({
    connections: z.int(),
    withoutProcess: z.int(),
    missedByPolling: z.int(),
    lostEvents: z.int(),
    /** Absent in files of earlier versions. */
    isLossKnown: z.boolean().default(true),
    polls: z.int(),
  }),
  spool: z.object({
    batches: z.int(),
    bytes: z.int(),
    maxBytes: z.int(),
    /** Never sent, since the start of the program: for want of room, damaged, or removed by another program. */
    droppedBatches: z.int(),
    /** Counts only batches whose number of observations is known. */
    droppedObservations: z.int(),
    /** Those of the dropped batches that are damaged: they are in `parked/`. */
    damagedBatches: z.int(),
    parked: z.int(),
    /** Removed from `parked/` for want of room, since the start of the program. */
    removedBatches: z.int(),
  }),
  delivery: z.object({
    deliveredBatches: z.int(),
    deliveredObservations: z.int(),
    lastDeliveredAt: at.nullable(),
    /**
     * Why the next batch cannot be sent. `disk`: this machine cannot read or change the waiting batches. The others are
     * answers of the hub, or a missing answer.
     */
    failure: z
      .object({ kind: z.enum(['refused', 'wait', 'retry', 'disk']), reason: z.string(), since: at, failures: z.int() })
      .nullable(),
    nextTryAt: at.nullable(),
    lastParked: z.object({ at, reason: z.string() }).nullable(),
    /** How far the clock of the hub is ahead of the clock here; null until it is known. */
    hubAheadMs: z.int().nullable(),
  }),
  /** Connections that no hub would accept. */
  unusable: z.int(),
  lost: z.int(),
  rotateDays: z.int(),
});
export type AgentStatus = z.output<typeof agentStatus>;

export function writeStatus(files: AgentFiles, status: AgentStatus): void {
  writeJson(files.status, status);
}

/** Null when there is none, or it was written by another version. */
export function readStatus(files: AgentFiles): AgentStatus | null {
  return readInput(agentStatus, readJson(files.status)).data ?? null;
}
