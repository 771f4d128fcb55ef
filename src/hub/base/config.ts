// What the hub takes from its command line (docs/reference/command-line.md#hub-start) and from its environment
// (docs/reference/wire-contract/5-behaviours.md#58-variables-of-the-hub).
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { trustedProxies } from '#kernel/http/trusted-proxies.ts';
import { isLoopback, unbracketed } from '#kernel/net/address.ts';
import { buildCommit, commitSetting } from '#kernel/process/commit.ts';
import { flag, oneOf, readEnv, whole } from '#kernel/process/env.ts';
import { type Log, logLevels } from '#kernel/process/log.ts';
import { wholeOption } from '#kernel/process/option-value.ts';
import { packageVersion } from '#kernel/process/version.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { PasswordCost } from './auth/credentials/password.ts';
import type { ReaderPools } from './readers/pools.ts';
import type { AiUrls } from './settings/ai-urls.ts';
import { absentModes, variablesWithoutEffect } from './settings/other-variables.ts';
import { parseResolver } from './settings/resolver.ts';
import { type SinkSettings, sinkEnv, sinkSettings } from './settings/sink.ts';

/** What a hub is started with: by its entry from the environment, by tests and benchmarks directly. */
export interface HubOptions {
  /** Folder of monitor.db and monitor.json; made when absent. */
  dataDir: string;
  configPath?: string | undefined;
  dbPath?: string | undefined;
  /** Folder of the generations; `backups` in the data folder when absent. */
  backupDir?: string | undefined;
  /** Run after each verified backup: the absolute path of a program. */
  backupHook?: string | undefined;
  /** How long a prune job may take. */
  pruneTimeoutMs?: number;
  host: string;
  port: number;
  version: string;
  /** What it was built from, 40 hexadecimal digits; null or absent: unknown. */
  commit?: string | null;
  clock: Clock;
  log: Log;
  pollIntervalMs?: number;
  allowLoopbackRouters?: boolean;
  /** Silence after which what a router shows counts as settled, 300 when absent; tests make it short. */
  routerSettleMs?: number | undefined;
  /** Sets the admin token of a first start; 16 to 512 characters. */
  initialAdminToken?: string | undefined;
  /** Sets the login password of a first start; 14 to 256 characters. */
  initialPassword?: string | undefined;
  /**
   * Writes random first credentials to private files (docs/reference/wire-contract/5-behaviours.md#first-start); else
   * the caller shows them.
   */
  firstCredentialFiles?: boolean;
  /** Cost of password hashes; tests make it cheap. */
  passwordCost?: PasswordCost;
  /** Where browsers reach the hub, with its sub-path; on a loopback listener without proxy its own address when absent. */
  publicUrl?: URL | undefined;
  alwaysSecureCookies?: boolean;
  sessionTtlDays?: number;
  /** Web API of the chat workspace, ending in a slash; the service's own when absent. */
  chatApiUrl?: URL | undefined;
  /** Replaces the official addresses of AI services: for tests and the demo, which ask simulators. */
  aiUrls?: AiUrls | undefined;
  /** Serves threat feeds and reputation services, each in a folder; they are queried at their own addresses when absent. */
  threatMirror?: URL | undefined;
  /** Where closed hours are sent; null or absent: nowhere. */
  sink?: SinkSettings | null;
  /** False: threat feeds are not fetched, as in offline mode. */
  threatFeeds?: boolean;
  /** Hex key of stored secrets; else `secret.key` in the data folder. */
  secretKey?: string | undefined;
  /** No external service is queried: no feed, no issuer, no look-up. */
  offline?: boolean;
  trustProxy?: readonly string[];
  /** Name server of the network, `address` or `address:port`, queried for PTR names unless the settings name another. */
  internalDns?: string;
  /** PEM of an authority that outbound HTTPS requests trust besides the public ones; for tests. */
  trustedCa?: string | undefined;
  /** Folders whose files may be followed as logs, besides the usual ones. */
  logPathPrefixes?: readonly string[];
  /** Folder of the built web UI; absent: it is not built, and the hub says so. */
  webFolder?: string | undefined;
  /** Folder of what replaces the embedded enrichment data: `.mmdb` databases, `enrichment.bin.zst`. */
  enrichmentDir?: string | undefined;
  /** Deliveries of one Agent a minute, at once of all, of one address a minute; how far the times of two sides may differ. */
  agents?: { requestsPerMinute?: number; concurrent?: number; perAddress?: number; correlationMs?: number };
  /** Requests of one client in a window; `clients` of a kind are remembered, 20,000 when absent. */
  rate?: { reads: number; writes: number; windowMs: number; clients?: number };
  slowMs?: number;
  /** Sentences about what the hub was started with, for its log and its status. */
  warnings?: readonly string[];
  /** Another price catalog of AI models than that of this version, as JSON; for tests. */
  priceCatalog?: unknown;
  /** How long the headers of a request may take. */
  headersMs?: number;
  checkReplies?: boolean;
  /** false: the hub makes no backup by the clock; those before a migration and a restore stay. */
  scheduledBackups?: boolean;
  /** Reader threads that were started ahead, of the same database file. */
  pools?: ReaderPools;
  /** false: a kind of reader thread is started by its first query, and tried by the first request to /readyz. */
  startsReaders?: boolean;
}

export const hubEnv = z.object({
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  MONITOR_DATA_DIR: z.string().default('./data'),
  MONITOR_CONFIG_PATH: z.string().optional(),
  MONITOR_DB_PATH: z.string().optional(),
  MONITOR_BACKUP_DIR: z.string().optional(),
  MONITOR_BACKUP_HOOK: z.string().transform(program).optional(),
  MONITOR_BACKUP_PRUNE_TIMEOUT_MS: whole(limits.pruneTimeoutMinMs, limits.pruneTimeoutMaxMs).default(
    limits.pruneTimeoutMs,
  ),
  MONITOR_INITIAL_ADMIN_TOKEN: z.string().optional(),
  MONITOR_INITIAL_PASSWORD: z.string().optional(),
  MONITOR_PUBLIC_URL: z.string().transform(publicUrl).optional(),
  MONITOR_SECURE_COOKIES: flag(),
  MONITOR_SESSION_TTL_DAYS: whole(1, 365).default(limits.sessionTtlDays),
  MONITOR_SECRET_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
    .optional(),
  MONITOR_ALLOW_LOOPBACK_ROUTERS: flag(),
  MONITOR_OFFLINE_MODE: flag(),
  MONITOR_THREAT_MIRROR: z.string().transform(serviceUrl).optional(),
  MONITOR_TRUST_PROXY: trustedProxies(),
  MONITOR_INTERNAL_DNS: z.string().default('').transform(resolver),
  MONITOR_LOG_PATH_PREFIXES: z.string().default('').transform(folders),
  ENRICHMENT_DIR: z.string().optional(),
  MONITOR_RATE_LIMIT_READS: whole(10, 100_000).default(limits.readsPerWindow),
  MONITOR_RATE_LIMIT_WRITES: whole(5, 10_000).default(limits.writesPerWindow),
  MONITOR_RATE_LIMIT_WINDOW_MS: whole(1000, 3_600_000).default(limits.rateWindowMs),
  MONITOR_AGENT_INGEST_REQUESTS_PER_MINUTE: whole(1, 10_000).default(limits.agentRequestsPerMinute),
  MONITOR_AGENT_INGEST_CONCURRENCY: whole(1, 64).default(limits.agentIngestConcurrent),
  MONITOR_AGENT_INGEST_WRITES_PER_IP: whole(30, 100_000).default(limits.agentIngestPerAddress),
  MONITOR_AGENT_CORRELATION_WINDOW_MS: whole(0, 3_600_000).default(limits.agentCorrelationMs),
  MONITOR_CHAT_API_URL: z.string().transform(serviceUrl).optional(),
  MONITOR_SLOW_REQUEST_MS: whole(1, 600_000).default(limits.slowRequestMs),
  MONITOR_WATCHDOG_STALL_MS: whole(limits.watchdogStallMinMs, 3_600_000).default(limits.watchdogStallMs),
  POLL_INTERVAL_MS: whole(limits.pollIntervalMinMs, 86_400_000).default(limits.pollIntervalMs),
  GATEHOUSE_COMMIT: commitSetting,
  LOG_LEVEL: oneOf(logLevels).default('info'),
  ...sinkEnv,
  ...absentModes,
});

export const hubUsage = `Usage: gatehouse hub [--host ADDRESS] [--port N] [--data DIR]

Collects connections from routers into SQLite and serves the REST API.

Options
  --host ADDRESS  address to listen on (HOST; default 127.0.0.1)
  --port N        port to listen on, 0 picks a free one (PORT; default 3000)
  --data DIR      folder of monitor.db and monitor.json (MONITOR_DATA_DIR; default ./data)
  --help          this text
  --version       the version

The first start shows the admin token and the login password once on a terminal; elsewhere it keeps them in the files
initial-admin-token and initial-password (mode 0600) of the data folder. MONITOR_INITIAL_ADMIN_TOKEN and
MONITOR_INITIAL_PASSWORD (or the same with _FILE) set them instead. gatehouse reset-token and gatehouse reset-password
make new ones.
All variables: test/pins/env.txt in the repository.
A service runs "node bin/gatehouse.js hub" itself, not npm; one hub at a time uses a data directory.
`;

/** Options of the command line. */
export interface HubArguments {
  host?: string | undefined;
  port?: string | undefined;
  data?: string | undefined;
}

/** Environment and command line together; throws an Error naming the variable or option that is wrong. */
export function hubSettings({ host, port, data }: HubArguments) {
  const givenPort = port === undefined ? undefined : wholeOption('port', port, [0, 65_535]);
  const env = readEnv(hubEnv);
  const options: Omit<HubOptions, 'clock' | 'log' | 'pools'> = {
    dataDir: data ?? env.MONITOR_DATA_DIR,
    configPath: env.MONITOR_CONFIG_PATH,
    dbPath: env.MONITOR_DB_PATH,
    backupDir: env.MONITOR_BACKUP_DIR,
    backupHook: env.MONITOR_BACKUP_HOOK,
    pruneTimeoutMs: env.MONITOR_BACKUP_PRUNE_TIMEOUT_MS,
    host: host ?? env.HOST,
    port: givenPort ?? env.PORT,
    version: packageVersion(),
    commit: buildCommit(env.GATEHOUSE_COMMIT),
    pollIntervalMs: env.POLL_INTERVAL_MS,
    allowLoopbackRouters: env.MONITOR_ALLOW_LOOPBACK_ROUTERS,
    initialAdminToken: env.MONITOR_INITIAL_ADMIN_TOKEN,
    initialPassword: env.MONITOR_INITIAL_PASSWORD,
    publicUrl: env.MONITOR_PUBLIC_URL,
    alwaysSecureCookies: env.MONITOR_SECURE_COOKIES,
    sessionTtlDays: env.MONITOR_SESSION_TTL_DAYS,
    secretKey: env.MONITOR_SECRET_KEY,
    offline: env.MONITOR_OFFLINE_MODE,
    threatMirror: env.MONITOR_THREAT_MIRROR,
    chatApiUrl: env.MONITOR_CHAT_API_URL,
    sink: sinkSettings(env),
    trustProxy: env.MONITOR_TRUST_PROXY,
    internalDns: env.MONITOR_INTERNAL_DNS,
    logPathPrefixes: env.MONITOR_LOG_PATH_PREFIXES,
    enrichmentDir: env.ENRICHMENT_DIR,
    rate: {
      reads: env.MONITOR_RATE_LIMIT_READS,
      writes: env.MONITOR_RATE_LIMIT_WRITES,
      windowMs: env.MONITOR_RATE_LIMIT_WINDOW_MS,
    },
    agents: {
      requestsPerMinute: env.MONITOR_AGENT_INGEST_REQUESTS_PER_MINUTE,
      concurrent: env.MONITOR_AGENT_INGEST_CONCURRENCY,
      perAddress: env.MONITOR_AGENT_INGEST_WRITES_PER_IP,
      correlationMs: env.MONITOR_AGENT_CORRELATION_WINDOW_MS,
    },
    warnings: variablesWithoutEffect(Object.keys(hubEnv.shape)),
    slowMs: env.MONITOR_SLOW_REQUEST_MS,
  };
  return { options, logLevel: env.LOG_LEVEL, stallMs: env.MONITOR_WATCHDOG_STALL_MS };
}

/** The address of a service that the hub queries: https, or http on loopback; a slash is added to its path. */
function serviceUrl(text: string, context: z.RefinementCtx): URL {
  const url = publicUrl(text, context);
  if (url instanceof URL && url.protocol === 'http:' && !isLoopback(unbracketed(url.hostname))) {
    context.addIssue({ code: 'custom', message: 'must be https, or http on loopback' });
    return z.NEVER;
  }
  return url instanceof URL && !url.pathname.endsWith('/') ? new URL(`${url.href}/`) : url;
}

/** Where browsers reach the hub: http or https, with a path for a sub-path and nothing more. */
function publicUrl(text: string, context: z.RefinementCtx): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    context.addIssue({ code: 'custom', message: 'must be an http or https address without user, query or fragment' });
    return z.NEVER;
  }
  return url;
}

/** `address` or `address:port` of a name server; empty when there is none. */
function resolver(text: string, context: z.RefinementCtx): string {
  if (text !== '' && parseResolver(text) === null) {
    context.addIssue({ code: 'custom', message: 'must be the IP address of a name server, with or without :port' });
  }
  return text;
}

/** The absolute path of a program that this user may run. */
function program(text: string, context: z.RefinementCtx): string {
  try {
    accessSync(text, constants.X_OK);
    if (path.isAbsolute(text) && statSync(text).isFile()) {
      return text;
    }
  } catch {
    // Said below.
  }
  context.addIssue({ code: 'custom', message: `must be the absolute path of a program that this user may run` });
  return text;
}

/** Absolute folders, separated by commas. */
function folders(text: string, context: z.RefinementCtx): string[] {
  const listed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const part of listed.filter((folder) => !/^\/[^/]/.test(folder))) {
    context.addIssue({ code: 'custom', message: `"${part}" is not an absolute path of a folder` });
  }
  return listed;
}
