// What an Agent knows of its registration (`agent.json`): nothing of it is secret.
import { z } from 'zod';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { firstProblem, readInput } from '#kernel/text/problem.ts';
import { storeKinds } from './credentials/store.ts';
import type { AgentFiles } from './folder.ts';

export const agentRecord = z.object({
  hubUrl: z.url(),
  /** The certificate authority of the hub, PEM; null: those of the system. */
  ca: z.string().nullable(),
  agentId: z.string(),
  hostName: z.string(),
  store: z.enum(storeKinds),
  credentialName: z.string(),
  /** Somebody accepted plain HTTP for this hub. */
  acceptsPlaintext: z.boolean(),
  enrolledAt: z.int(),
  rotatedAt: z.int(),
  /** A rotation that was begun and whose result is not known. */
  rotationStartedAt: z.int().nullable(),
});
export type AgentRecord = z.output<typeof agentRecord>;

/** Null when this machine is not enrolled. Throws an Error when the file is damaged. */
export function readRecord(files: AgentFiles): AgentRecord | null {
  const found = readJson(files.record);
  if (found === undefined) {
    return null;
  }
  const parsed = readInput(agentRecord, found);
  if (!parsed.success) {
    throw new Error(`${files.record} is damaged (${firstProblem(parsed.error)}): enrol again with --replace`);
  }
  return parsed.data;
}

/** Throws an Error with what to do when this machine is not enrolled. */
export function requireRecord(files: AgentFiles): AgentRecord {
  const record = readRecord(files);
  if (record === null) {
    throw new Error(`this machine is not enrolled (${files.folder}): run gatehouse agent enroll --hub URL`);
  }
  return record;
}

export function writeRecord(files: AgentFiles, record: AgentRecord): void {
  writeJson(files.record, record);
}
