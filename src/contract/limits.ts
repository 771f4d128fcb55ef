// Every limit of hub, MCP server and gate, once and named; test/pins/limits.txt pins them. Those of one subject
// are declared in its file and included here. The tables of limits are
// docs/reference/rest-api.md#8-limits and docs/reference/mcp-server.md#8-limits. Other limits of routes are in
// docs/reference/wire-contract/4-endpoints.md#4-endpoints, unless a group names its section.

import { agentLimits } from './agent-limits.ts';
import { aiLimits } from './ai-limits.ts';
import { alertLimits } from './alert-limits.ts';
import { authLimits } from './auth-limits.ts';
import { backupLimits } from './backup-limits.ts';
import { chatLimits } from './chat-limits.ts';
import { destinationLimits } from './destination-limits.ts';
import { detectionLimits } from './detection-limits.ts';
import { deviceLimits } from './device-limits.ts';
import { gateLimits } from './gate-limits.ts';
import { liveLimits } from './live-limits.ts';
import { lookUpLimits } from './look-up-limits.ts';
import { mcpLimits } from './mcp-limits.ts';
import { oidcLimits } from './oidc-limits.ts';
import { sinkLimits } from './sink-limits.ts';
import { threatLimits } from './threat-limits.ts';

export const limits = {
  /** How long the headers of a request may take, of the hub and of the MCP endpoint. */
  headersMs: 30_000,
  /** Router records, enabled or disabled. */
  routers: 10,
  /** Removed routers whose names are stored for their old connections; of more the oldest are forgotten. */
  routerTombstones: 1000,
  connectionsPage: 1000,
  connectionsValues: 1000,
  connectionsUnpaged: 50_000,
  filterValues: 20,
  /** Characters of a cursor, which repeats the values of one row. */
  connectionsCursor: 4096,
  /** Groups of a summary, and how long its answer is cached (docs/reference/wire-contract/4-endpoints.md#summary). */
  summaryBuckets: 240,
  summaryBucketsDefault: 60,
  summaryDestinations: 500,
  summaryDevices: 200,
  summaryTargets: 1000,
  summaryEdges: 3000,
  summaryCountries: 300,
  summaryLocations: 500,
  summaryTimelineTargets: 50,
  summaryCacheMs: 10_000,
  summaryCacheKeys: 20,
  /** How often the index of the summaries may be written, after how many changes, and how long a stop waits for it. */
  flowStoreEveryMs: 600_000,
  flowStoreChanges: 500_000,
  flowStoreStopMs: 5000,
  newNodes: 1000,
  /** Rows of the answer about threat connections. */
  threatConnections: 200,
  threatConnectionsDefault: 50,
  /** A period of the facts, and their lists. */
  factsMs: 1_209_600_000,
  factsServices: 20,
  factsDestinations: 15,
  exportPage: 1000,
  exportRows: 50_000,
  exportMs: 60_000,
  exportsAtOnce: 2,
  hotEntries: 100_000,
  /** Days the connection log is stored, and how often older rows are removed. */
  retentionDays: 730,
  /** The smallest limit of size: an empty database and its lists take a part of it. */
  retentionBytesMin: 10_000_000,
  retentionEveryMs: 3_600_000,
  retentionFirstMs: 60_000,
  /** How often hours that have ended are packed. */
  hourPackFirstMs: 5000,
  hourPackEveryMs: 300_000,
  logPath: 4096,
  /** Names that clients asked for, cached for destinations that are new, and for how long. */
  namesKept: 50_000,
  nameKeptMs: 86_400_000,
  ...lookUpLimits,
  /** How often a followed log is looked at, and characters of a line that is read. */
  logPollMs: 1000,
  logLine: 16_384,
  /** Threads that answer queries, and how many queries may wait for one. */
  readerThreads: 2,
  readersWaiting: 64,
  routerDisplayName: 80,
  routerUser: 255,
  routerPassword: 4096,
  /** Largest NAT descriptor number of vendor_a (docs/reference/wire-contract/0-conventions.md#a3-nat-descriptor). */
  natDescriptor: 2_147_483_647,
  /** Polling of routers: docs/reference/wire-contract/5-behaviours.md#57-process. */
  pollIntervalMs: 60_000,
  pollIntervalMinMs: 10_000,
  pollConcurrent: 3,
  pollCycleMs: 120_000,
  pollBackOffMaxMs: 600_000,
  /**
   * What a router may send: rows of one answer (twice the largest table, 65,535 sessions), bytes of an answer that is read
   * as it comes, of one that is buffered as lines, and of what stands around answers, such as the banner.
   */
  answerRows: 131_070,
  answerBytes: 67_108_864,
  keptAnswerBytes: 8_388_608,
  dialogueBytes: 1_048_576,
  arpIntervalMs: 60_000,
  /** How often the leases of a router's DHCP server are read. */
  dhcpIntervalMs: 300_000,
  /** Requests of one client (docs/reference/wire-contract/1-http-rules.md#14-rate-limits). */
  readsPerWindow: 600,
  writesPerWindow: 120,
  rateWindowMs: 60_000,
  /** The mesh access point: time for one request, how often it is asked, bytes of an answer. */
  meshTimeoutMs: 8000,
  meshIntervalMs: 60_000,
  meshAnswerBytes: 1_048_576,
  ...authLimits,
  /** Time for requests at shutdown, and slow requests (docs/reference/wire-contract/5-behaviours.md#57-process). */
  drainMs: 10_000,
  slowRequestMs: 3000,
  /** Standstill of the event loop that ends the hub. */
  watchdogStallMs: 120_000,
  watchdogStallMinMs: 5000,
  ...mcpLimits,
  ...liveLimits,
  ...deviceLimits,
  ...oidcLimits,
  ...alertLimits,
  ...detectionLimits,
  ...agentLimits,
  ...aiLimits,
  ...backupLimits,
  ...chatLimits,
  ...destinationLimits,
  ...gateLimits,
  ...sinkLimits,
  ...threatLimits,
} as const;
