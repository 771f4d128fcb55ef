// Every variable of the hub, once: how it is read, what it sets, and the sentence that --help and
// docs/reference/hub-variables.md print. docs/reference/wire-contract/5-behaviours.md#58-variables-of-the-hub
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { trustedProxies } from '#kernel/http/trusted-proxies.ts';
import { commitSetting } from '#kernel/process/commit.ts';
import { flag, oneOf, whole } from '#kernel/process/env.ts';
import { logLevels } from '#kernel/process/log.ts';
import { sinkVariables } from '../sink.ts';
import { folders, hexKey, program, publicUrl, resolver, serviceUrl } from './values.ts';
import type { Variable } from './variable.ts';

const path = z.string().optional();
const secret = z.string().optional();

export const hubVariables = {
  PORT: {
    option: 'port',
    schema: whole(0, 65_535).default(3000),
    text: 'Port to listen on; 0 picks a free one.',
  },
  HOST: {
    option: 'host',
    schema: z.string().default('127.0.0.1'),
    text: 'Address to listen on.',
  },
  MONITOR_DATA_DIR: {
    option: 'dataDir',
    schema: z.string().default('./data'),
    text: 'Folder of the database and the settings; created when it is absent.',
  },
  MONITOR_CONFIG_PATH: {
    option: 'configPath',
    schema: path,
    text: 'File of the settings, instead of monitor.json in the data folder.',
  },
  MONITOR_DB_PATH: {
    option: 'dbPath',
    schema: path,
    text: 'File of the database, instead of monitor.db in the data folder.',
  },
  MONITOR_BACKUP_DIR: {
    option: 'backupDir',
    schema: path,
    text: 'Folder of the backups, instead of backups in the data folder.',
  },
  MONITOR_BACKUP_HOOK: {
    option: 'backupHook',
    schema: z.string().transform(program).optional(),
    text: 'Absolute path of a program that runs after each verified backup.',
  },
  MONITOR_BACKUP_PRUNE_TIMEOUT_MS: {
    option: 'pruneTimeoutMs',
    schema: whole(limits.pruneTimeoutMinMs, limits.pruneTimeoutMaxMs).default(limits.pruneTimeoutMs),
    text: 'How long a prune job may take, in milliseconds.',
  },
  MONITOR_INITIAL_ADMIN_TOKEN: {
    option: 'initialAdminToken',
    schema: secret,
    secret: true,
    text: 'Admin token of the first start, 16 to 512 characters; a random one when absent.',
  },
  MONITOR_INITIAL_PASSWORD: {
    option: 'initialPassword',
    schema: secret,
    secret: true,
    text: 'Login password of the first start, 14 to 256 characters; a random one when absent.',
  },
  MONITOR_PUBLIC_URL: {
    option: 'publicUrl',
    schema: z.string().transform(publicUrl).optional(),
    text: 'Address at which browsers reach the hub, with its path behind a proxy. Absent: the address of the listener on loopback.',
  },
  MONITOR_SECURE_COOKIES: {
    option: 'alwaysSecureCookies',
    schema: flag(),
    text: 'Marks every cookie as Secure, also on plain HTTP.',
  },
  MONITOR_SESSION_TTL_DAYS: {
    option: 'sessionTtlDays',
    schema: whole(1, 365).default(limits.sessionTtlDays),
    text: 'Days without use after which a login ends.',
  },
  MONITOR_SECRET_KEY: {
    option: 'secretKey',
    schema: hexKey.optional(),
    secret: true,
    text: 'Key of the stored secrets, 64 hex digits; secret.key in the data folder when absent.',
  },
  MONITOR_ALLOW_LOOPBACK_ROUTERS: {
    option: 'allowLoopbackRouters',
    schema: flag(),
    text: 'Accepts routers on loopback addresses, such as simulators.',
  },
  MONITOR_OFFLINE_MODE: {
    option: 'offline',
    schema: flag(),
    text: 'Asks no external service: no threat feed, no OIDC issuer, no look-up.',
  },
  MONITOR_THREAT_MIRROR: {
    option: 'threatMirror',
    schema: z.string().transform(serviceUrl).optional(),
    text: 'Server of the threat feeds and reputation services, each in a folder; absent: their own addresses.',
  },
  MONITOR_TRUST_PROXY: {
    option: 'trustProxy',
    schema: trustedProxies(),
    text: 'Addresses and IPv4 ranges of proxies whose X-Forwarded headers are believed, separated by commas.',
  },
  MONITOR_INTERNAL_DNS: {
    option: 'internalDns',
    schema: z.string().default('').transform(resolver),
    text: 'Name server of the network, ADDRESS or ADDRESS:PORT, for PTR names; the settings may name another.',
  },
  MONITOR_LOG_PATH_PREFIXES: {
    option: 'logPathPrefixes',
    schema: z.string().default('').transform(folders),
    text: 'Folders whose files may be followed as logs, besides the usual ones, separated by commas.',
  },
  ENRICHMENT_DIR: {
    option: 'enrichmentDir',
    schema: path,
    text: 'Folder of what replaces the embedded enrichment data: .mmdb databases or enrichment.bin.zst.',
  },
  MONITOR_RATE_LIMIT_READS: {
    option: 'rate.reads',
    schema: whole(10, 100_000).default(limits.readsPerWindow),
    text: 'Reads of one client in a window.',
  },
  MONITOR_RATE_LIMIT_WRITES: {
    option: 'rate.writes',
    schema: whole(5, 10_000).default(limits.writesPerWindow),
    text: 'Writes of one client in a window.',
  },
  MONITOR_RATE_LIMIT_WINDOW_MS: {
    option: 'rate.windowMs',
    schema: whole(1000, 3_600_000).default(limits.rateWindowMs),
    text: 'Length of that window, in milliseconds.',
  },
  MONITOR_AGENT_INGEST_REQUESTS_PER_MINUTE: {
    option: 'agents.requestsPerMinute',
    schema: whole(1, 10_000).default(limits.agentRequestsPerMinute),
    text: 'Deliveries of one Agent in a minute.',
  },
  MONITOR_AGENT_INGEST_CONCURRENCY: {
    option: 'agents.concurrent',
    schema: whole(1, 64).default(limits.agentIngestConcurrent),
    text: 'Deliveries of all Agents that are received at the same time.',
  },
  MONITOR_AGENT_INGEST_WRITES_PER_IP: {
    option: 'agents.perAddress',
    schema: whole(30, 100_000).default(limits.agentIngestPerAddress),
    text: 'Deliveries from one address in a minute.',
  },
  MONITOR_AGENT_CORRELATION_WINDOW_MS: {
    option: 'agents.correlationMs',
    schema: whole(0, 3_600_000).default(limits.agentCorrelationMs),
    text: 'How far the times of an Agent and of a router may differ for the same session, in milliseconds.',
  },
  MONITOR_CHAT_API_URL: {
    option: 'chatApiUrl',
    schema: z.string().transform(serviceUrl).optional(),
    text: 'Web API of the chat workspace; absent: the address of the service.',
  },
  MONITOR_SLOW_REQUEST_MS: {
    option: 'slowMs',
    schema: whole(1, 600_000).default(limits.slowRequestMs),
    text: 'A request that takes longer is logged, in milliseconds.',
  },
  MONITOR_WATCHDOG_STALL_MS: {
    schema: whole(limits.watchdogStallMinMs, 3_600_000).default(limits.watchdogStallMs),
    text: 'The hub ends when its event loop stands still for so long, in milliseconds.',
  },
  POLL_INTERVAL_MS: {
    option: 'pollIntervalMs',
    schema: whole(limits.pollIntervalMinMs, 86_400_000).default(limits.pollIntervalMs),
    text: 'Time between two reads of a router, in milliseconds.',
  },
  GATEHOUSE_COMMIT: {
    schema: commitSetting,
    text: 'Commit that the program was built from, 40 hex digits; absent: read from the package or the checkout.',
  },
  LOG_LEVEL: {
    schema: oneOf(logLevels).default('info'),
    text: `Least level of lines in the log: ${logLevels.join(', ')}.`,
  },
  ...sinkVariables,
} as const satisfies Record<string, Variable>;

type Variables = typeof hubVariables;

/** The members of `HubOptions` that variables set: those of `Group` (such as `rate.`), or the ones without a group. */
export type VariableOptions<Group extends string = ''> = {
  [Name in keyof Variables as Variables[Name] extends { option: `${Group}${infer Option}` }
    ? Option extends `${string}.${string}`
      ? never
      : Option
    : never]: z.output<Variables[Name]['schema']>;
};
