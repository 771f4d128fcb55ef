// The credentials of a first start: admin token and login password, shown once and kept as hashes, and the audit key.
import { limits } from '#contract/limits.ts';
import { createKey, createToken, hashToken } from '#kernel/secret.ts';
import type { SettingsDocument } from '../settings/document.ts';
import type { Passwords } from './password.ts';
import { createPassword } from './password-rules.ts';

export interface FirstCredentials {
  /** What this start made, given or random; null when there is one already. */
  adminToken: string | null;
  password: string | null;
  auditKey: string;
}

/** `given` sets token (16 to 512 characters) and password (14 to 256), for automation. Throws when one is out of range. */
export async function firstCredentials(
  document: SettingsDocument,
  passwords: Passwords,
  given: { adminToken: string | undefined; password: string | undefined },
): Promise<FirstCredentials> {
  const { adminTokenHash, passwordRecord, auditKey: storedKey } = document.current();
  const adminToken = adminTokenHash === null ? (given.adminToken ?? createToken('', 24)) : null;
  const password = passwordRecord === null ? (given.password ?? createPassword()) : null;
  const auditKey = storedKey ?? createKey();
  if (adminToken !== null && (adminToken.length < 16 || adminToken.length > 512)) {
    throw new Error('MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters');
  }
  if (password !== null && ([...password].length < limits.passwordMin || password.length > limits.password)) {
    throw new Error(`MONITOR_INITIAL_PASSWORD must have ${limits.passwordMin} to ${limits.password} characters`);
  }
  if (adminToken !== null || password !== null || storedKey === null) {
    const record = password === null ? passwordRecord : await passwords.hash(password);
    document.update((all) => ({
      ...all,
      adminTokenHash: adminToken === null ? all.adminTokenHash : hashToken(adminToken),
      passwordRecord: record,
      auditKey,
    }));
  }
  return { adminToken, password, auditKey };
}
