// What a hub is started with: by its entry from the environment, by tests and benchmarks directly.
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { PasswordCost } from './auth/credentials/password.ts';
import type { ReaderPools } from './readers/pools.ts';

export interface HubOptions {
  /** Folder of monitor.db and monitor.json; made when absent. */
  dataDir: string;
  configPath?: string | undefined;
  dbPath?: string | undefined;
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
  /** Keeps random first credentials in private files (wire contract 5.3); else the caller shows them. */
  firstCredentialFiles?: boolean;
  /** Cost of password hashes; tests make it cheap. */
  passwordCost?: PasswordCost;
  /** Where browsers reach the hub, with its sub-path; on a loopback listener without proxy its own address when absent. */
  publicUrl?: URL | undefined;
  alwaysSecureCookies?: boolean;
  sessionTtlDays?: number;
  /** Web API of the chat workspace, ending in a slash; the service's own when absent. */
  chatApiUrl?: URL | undefined;
  /** Serves threat feeds and reputation services, each in a folder; they are asked at their own addresses when absent. */
  threatMirror?: URL | undefined;
  /** False: threat feeds are not fetched, as in offline mode. */
  threatFeeds?: boolean;
  /** Hex key of stored secrets; else `secret.key` in the data folder. */
  secretKey?: string | undefined;
  /** Nothing beyond the hub's own network is asked: no feed, no issuer, no look-up. */
  offline?: boolean;
  trustProxy?: readonly string[];
  /** Name server of the network, `address` or `address:port`, asked for PTR names unless the settings name another. */
  internalDns?: string;
  /** PEM of an authority that outbound HTTPS requests trust besides the public ones; for tests. */
  trustedCa?: string | undefined;
  /** Folders whose files may be followed as logs, besides the usual ones. */
  logPathPrefixes?: readonly string[];
  /** Folder of what replaces the embedded enrichment data: `.mmdb` databases, `enrichment.bin.zst`. */
  enrichmentDir?: string | undefined;
  /** Requests of one client in a window; `clients` of a kind are remembered, 20,000 when absent. */
  rate?: { reads: number; writes: number; windowMs: number; clients?: number };
  slowMs?: number;
  /** Sentences about what the hub was started with, for its log and its status. */
  warnings?: readonly string[];
  /** How long the headers of a request may take. */
  headersMs?: number;
  checkReplies?: boolean;
  /** Reader threads that were started ahead, of the same database file. */
  pools?: ReaderPools;
  /** false: a kind of reader thread is started by its first query, and tried by the first request to /readyz. */
  startsReaders?: boolean;
}
