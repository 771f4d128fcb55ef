// Everything of authentication: what handlers, the access decision and the hub use.
import path from 'node:path';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { startJob } from '#kernel/job.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { dayMs } from '#kernel/time.ts';
import type { SettingsDocument } from '../settings/document.ts';
import type { Signals } from '../signals.ts';
import { createAuditTrail } from './audit.ts';
import { boundRefusals } from './audit-refusals.ts';
import { createCookies } from './cookies.ts';
import { firstCredentials } from './credentials/first-credentials.ts';
import { createFirstFiles, type FirstFiles } from './credentials/first-files.ts';
import { createIdentities } from './credentials/identities.ts';
import { createLockOut } from './credentials/lock-out.ts';
import { createLogin, type Login } from './credentials/login.ts';
import { createPasswords, type PasswordCost } from './credentials/password.ts';
import { startRecovery } from './credentials/recovery.ts';
import { createOidcLogin, type OidcLogin } from './oidc/oidc.ts';
import type { Credentials } from './principal.ts';
import { createSessions } from './sessions.ts';

export interface AuthOptions {
  /** Holds requested resets. */
  dataDir: string;
  document: SettingsDocument;
  signals: Signals;
  db: Db;
  clock: Clock;
  log: Log;
  initialAdminToken: string | undefined;
  initialPassword: string | undefined;
  /** Whether random first credentials are written to files, for want of a terminal. */
  firstCredentialFiles: boolean;
  passwordCost: PasswordCost | undefined;
  sessionTtlDays: number;
  alwaysSecureCookies: boolean;
  /** Where browsers reach the hub; null when that is not known. */
  publicUrl: URL | null;
  trustedProxyConfigured: boolean;
  /** No issuer is asked. */
  offline: boolean;
}

export interface Auth extends Credentials, AsyncDisposable {
  login: Login;
  oidc: OidcLogin;
  signals: Signals;
  firstFiles: FirstFiles;
  sessionTtlDays: number;
  publicUrl: URL | null;
  trustedProxyConfigured: boolean;
  /** What this start made, to be shown once. */
  newAdminToken: string | null;
  newPassword: string | null;
}

/** Makes missing credentials, prunes what is over, and goes on doing so until disposed. */
export async function startAuth(options: AuthOptions): Promise<Auth> {
  const { document, signals, db, clock, log, publicUrl, sessionTtlDays, trustedProxyConfigured } = options;
  const passwords = createPasswords(options.passwordCost);
  const firstFiles = createFirstFiles(path.dirname(document.file), log);
  const first = await firstCredentials({
    document,
    passwords,
    given: { adminToken: options.initialAdminToken, password: options.initialPassword },
    files: options.firstCredentialFiles ? firstFiles : null,
    log,
  });
  const sessions = createSessions({ db, clock, signals, ttlMs: sessionTtlDays * dayMs });
  const audit = boundRefusals(createAuditTrail({ db, clock, log, key: first.auditKey }), clock);
  await sessions.prune();
  await audit.prune();
  const { dataDir } = options;
  const recovery = await startRecovery({ dataDir, document, sessions, signals, audit, firstFiles, log });
  const jobs = [
    startJob(clock, log, { name: 'pruning sessions', everyMs: limits.sessionPruneMs, run: () => sessions.prune() }),
    startJob(clock, log, { name: 'pruning the audit trail', everyMs: limits.auditPruneMs, run: () => audit.prune() }),
    startJob(clock, log, {
      name: 'recording how often somebody was refused',
      everyMs: limits.auditRefusalCountMs,
      run: () => audit.recordCounts(),
    }),
  ];
  return {
    document,
    sessions,
    identities: createIdentities({ db, clock, signals }),
    cookies: createCookies({
      alwaysSecure: options.alwaysSecureCookies || publicUrl?.protocol === 'https:',
      path: publicUrl?.pathname.replace(/(?<=.)\/$/, '') ?? '/',
    }),
    audit,
    login: createLogin({ document, passwords, lockOut: createLockOut(clock), audit, clock }),
    oidc: createOidcLogin({
      clock,
      settings: () => document.current().oidc,
      publicUrl: () => publicUrl,
      log,
      offline: () => options.offline,
    }),
    signals,
    firstFiles,
    publicOrigin: () => publicUrl?.origin ?? null,
    failed: (error) => log.error({ err: error }, 'the use of a credential could not be noted'),
    sessionTtlDays,
    publicUrl,
    trustedProxyConfigured,
    newAdminToken: first.adminToken,
    newPassword: first.password,
    async [Symbol.asyncDispose]() {
      await recovery[Symbol.asyncDispose]();
      await Promise.all(jobs.map((job) => job[Symbol.asyncDispose]()));
      await audit.recordCounts();
      await audit[Symbol.asyncDispose]();
    },
  };
}
