// A reset that waits for the hub: a private file with the hash of the new credential, which the hub applies and removes. Only
// the hub writes its settings, so that a reset works whether the hub runs or not.
import { statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readJson } from '#kernel/files/files.ts';
import { readInput } from '#kernel/text/problem.ts';

const resetRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('password'), passwordRecord: z.string().min(1) }),
  z.object({ kind: z.literal('token'), adminTokenHash: z.string().regex(/^[0-9a-f]{64}$/) }),
]);
export type ResetRequest = z.output<typeof resetRequest>;
export type ResetKind = ResetRequest['kind'];
export const resetKinds: readonly ResetKind[] = ['password', 'token'];

export function resetFolder(dataDir: string): string {
  return path.join(dataDir, 'recovery');
}

/** One file for each kind: a request for a token does not replace one for a password. */
export function resetFile(dataDir: string, kind: ResetKind): string {
  return path.join(resetFolder(dataDir), `reset-${kind}.json`);
}

/** The request that waits, or null. Throws an Error that says what to do when the file is damaged or not private. */
export function readReset(dataDir: string, kind: ResetKind): ResetRequest | null {
  const file = resetFile(dataDir, kind);
  const facts = statSync(file, { throwIfNoEntry: false });
  if (!facts) {
    return null;
  }
  if (facts.uid !== process.getuid?.() || (facts.mode & 0o077) !== 0) {
    throw new Error(`${file} is not a private file of the hub's user: delete it and run the command again`);
  }
  const parsed = readInput(resetRequest, readJson(file));
  if (!parsed.success || parsed.data.kind !== kind) {
    throw new Error(`${file} is no valid request: delete it and run the command again`);
  }
  return parsed.data;
}
