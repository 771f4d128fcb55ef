// Authentication as one value, for its handlers, the access decision and the hub.
import path from 'node:path';
import { authLimits } from '#contract/auth-limits.ts';
import { isLoopbackHost } from '#kernel/net/address.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Base } from '../feature.ts';
import type { Signals } from '../signals.ts';
import { type Actor, createAuditTrail } from './audit.ts';
import { boundRefusals } from './audit-refusals.ts';
import { createCookies } from './cookies.ts';
import { recordAppliedConfig } from './credentials/applied-config.ts';
import { firstCredentials } from './credentials/first-credentials.ts';
import { createFirstFiles, type FirstFiles } from './credentials/first-files.ts';
import { createFirstToken, type FirstToken } from './credentials/first-token.ts';
import { createIdentities } from './credentials/identities.ts';
import { createLockOut } from './credentials/lock-out.ts';
import { createLogin, type Login } from './credentials/login.ts';
import { createPasswords } from './credentials/password.ts';
import { startRecovery } from './credentials/recovery.ts';
import { createOidcLogin, type OidcLogin } from './oidc/oidc.ts';
import { type Credentials, type Principal, toActor } from './principal.ts';
import { createSessions } from './sessions.ts';

export interface Auth extends Credentials, AsyncDisposable {
  toActor: (principal: Principal) => Actor;
  login: Login;
  oidc: OidcLogin;
  signals: Signals;
  firstFiles: FirstFiles;
  firstToken: FirstToken;
  sessionTtlDays: number;
  publicUrl: URL | null;
  trustedProxyConfigured: boolean;
  /** What this start made, to be shown once. */
  newAdminToken: string | null;
  newPassword: string | null;
}

/**
 * Makes missing credentials, prunes what is over, and goes on doing so until disposed. `url` is where the hub listens: its
 * public address on loopback without a proxy.
 */
export async function startAuth(
  { settings: document, signals, db, clock, steadyClock, log, offline, options }: Base,
  url: URL,
  agents: Credentials['agents'],
): Promise<Auth> {
  const { dataDir, trustProxy = [], sessionTtlDays = authLimits.sessionTtlDays, alwaysSecureCookies = false } = options;
  const trustedProxyConfigured = trustProxy.length > 0;
  const publicUrl = options.publicUrl ?? (isLoopbackHost(options.host) && !trustedProxyConfigured ? url : null);
  const passwords = createPasswords(options.passwordCost);
  const firstFiles = createFirstFiles(path.dirname(document.file), log);
  const first = await firstCredentials({
    document,
    passwords,
    given: { adminToken: options.initialAdminToken, password: options.initialPassword },
    files: options.firstCredentialFiles ? firstFiles : null,
    log,
  });
  const sessions = createSessions({ db, clock: steadyClock, signals, ttlMs: sessionTtlDays * dayMs });
  const audit = boundRefusals(createAuditTrail({ db, clock, log, key: first.auditKey }), clock);
  await sessions.prune();
  await audit.prune();
  await recordAppliedConfig({ document, sessions, audit });
  const recovery = await startRecovery({ dataDir, document, sessions, signals, audit, firstFiles, log });
  const jobs = [
    startJob(clock, log, { name: 'pruning sessions', everyMs: authLimits.sessionPruneMs, run: () => sessions.prune() }),
    startJob(clock, log, {
      name: 'pruning the audit trail',
      everyMs: authLimits.auditPruneMs,
      run: () => audit.prune(),
    }),
    startJob(clock, log, {
      name: 'recording how often somebody was refused',
      everyMs: authLimits.auditRefusalCountMs,
      run: () => audit.recordCounts(),
    }),
  ];
  return {
    document,
    sessions,
    identities: createIdentities({ db, clock: steadyClock, signals }),
    agents,
    cookies: createCookies({
      alwaysSecure: alwaysSecureCookies || publicUrl?.protocol === 'https:',
      path: publicUrl?.pathname.replace(/(?<=.)\/$/, '') ?? '/',
    }),
    audit,
    login: createLogin({ document, passwords, lockOut: createLockOut(clock), audit, clock }),
    oidc: createOidcLogin({
      clock,
      settings: () => document.current().oidc,
      publicUrl: () => publicUrl,
      log,
      offline: () => offline,
    }),
    signals,
    toActor,
    firstFiles,
    firstToken: createFirstToken(firstFiles.pathOf('initial-admin-token'), document, log),
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
