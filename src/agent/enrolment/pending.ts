// A request of enrolment that waits for a decision: on disk, so that a program that was killed goes on with it.
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { readInput } from '#kernel/text/problem.ts';
import { storeKinds } from '../credentials/store.ts';
import type { AgentFiles } from '../folder.ts';

export const pendingEnrolment = z.object({
  hubUrl: z.url(),
  ca: z.string().nullable(),
  hostName: z.string(),
  acceptsPlaintext: z.boolean(),
  store: z.enum(storeKinds),
  /** It replaces the registration that this machine has. */
  replaces: z.boolean(),
  requestId: z.string(),
  claimSecret: z.string(),
});
export type PendingEnrolment = z.output<typeof pendingEnrolment>;

/** Null when there is none, or the file is damaged: then it is of no use. */
export function readPending(files: AgentFiles): PendingEnrolment | null {
  const found = readJson(files.pending);
  return found === undefined ? null : (readInput(pendingEnrolment, found).data ?? null);
}

export function writePending(files: AgentFiles, pending: PendingEnrolment): void {
  writeJson(files.pending, pending);
}

export function removePending(files: AgentFiles): void {
  rmSync(files.pending, { force: true });
}
