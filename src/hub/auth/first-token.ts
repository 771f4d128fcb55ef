// The admin token of a first start: made once, shown once, kept as a hash.
import { createToken, hashToken } from '#kernel/secret.ts';
import type { SettingsDocument } from '../settings/document.ts';

/** The new token, or null when there is one already. `given` sets it, for automation; 16 to 512 characters. */
export function firstToken(document: SettingsDocument, given: string | undefined): string | null {
  if (document.current().adminTokenHash !== null) {
    return null;
  }
  if (given !== undefined && (given.length < 16 || given.length > 512)) {
    throw new Error('MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters');
  }
  const token = given ?? createToken('', 24);
  document.update((all) => ({ ...all, adminTokenHash: hashToken(token) }));
  return token;
}
