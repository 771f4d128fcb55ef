// Creates the secrets of a first start: admin token, login password, and the key that pseudonymises the audit trail.
import { authLimits } from '#contract/auth-limits.ts';
import type { Log } from '#kernel/process/log.ts';
import { createKey, createToken, hashToken, matchesHash } from '#kernel/text/secret.ts';
import type { SettingsDocument } from '../../settings/document.ts';
import type { FirstFiles } from './first-files.ts';
import type { Passwords } from './password.ts';
import { createPassword } from './password-rules.ts';

export interface FirstCredentials {
  /** The token of this first start, given or random; null when the hub has one already. */
  adminToken: string | null;
  /** The login password of this first start, as above. */
  password: string | null;
  auditKey: string;
}

export interface FirstOptions {
  document: SettingsDocument;
  passwords: Passwords;
  /** Token (16 to 512 characters) and password (14 to 256) of a first start, for automation. */
  given: { adminToken: string | undefined; password: string | undefined };
  /** Files that hold random credentials until the operator has read them; null: the caller prints them. */
  files: FirstFiles | null;
  log: Log;
}

/** Throws when a given value is too short or too long. Warns when one is ignored; no log contains a secret. */
export async function firstCredentials(options: FirstOptions): Promise<FirstCredentials> {
  const { document, passwords, given, files, log } = options;
  const { adminTokenHash, passwordRecord, auditKey: storedKey } = document.current();
  if (adminTokenHash !== null && given.adminToken !== undefined && !matchesHash(given.adminToken, adminTokenHash)) {
    log.warn(
      {},
      'MONITOR_INITIAL_ADMIN_TOKEN is ignored: this data has another admin token; gatehouse reset-token makes a new one',
    );
  }
  if (passwordRecord !== null && given.password !== undefined) {
    log.warn(
      {},
      'MONITOR_INITIAL_PASSWORD is ignored: this data has a login password; gatehouse reset-password makes a new one',
    );
  }
  const adminToken = adminTokenHash === null ? (given.adminToken ?? createToken('', 24)) : null;
  const password = passwordRecord === null ? (given.password ?? createPassword()) : null;
  const auditKey = storedKey ?? createKey();
  if (adminToken !== null && (adminToken.length < 16 || adminToken.length > 512)) {
    throw new Error('MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters');
  }
  // The maximum is in UTF-16 units, as for the login.
  if (password !== null && ([...password].length < authLimits.passwordMin || password.length > authLimits.password)) {
    throw new Error(
      `MONITOR_INITIAL_PASSWORD must have ${authLimits.passwordMin} to ${authLimits.password} characters`,
    );
  }
  if (adminToken !== null || password !== null || storedKey === null) {
    const record = password === null ? passwordRecord : await passwords.hash(password);
    // The files are written first: a stored hash whose secret nobody can read would lock everybody out. After a crash in
    // between, the next start replaces the files.
    if (adminToken !== null && given.adminToken === undefined) {
      files?.keep('initial-admin-token', adminToken);
    }
    if (password !== null && given.password === undefined) {
      files?.keep('initial-password', password);
    }
    document.update((all) => ({
      ...all,
      adminTokenHash: adminToken === null ? all.adminTokenHash : hashToken(adminToken),
      passwordRecord: record,
      isPasswordInitial: all.isPasswordInitial || password !== null,
      auditKey,
    }));
  }
  return { adminToken, password, auditKey };
}
