// Every limit of hub, MCP server and gate, once and named; test/pins/limits.txt pins them. The tables of limits are
// docs/reference/rest-api.md#8-limits and docs/reference/mcp-server.md#8-limits. Other limits of routes are in
// docs/reference/wire-contract/4-endpoints.md#4-endpoints, unless a group names its section.
import { agentLimits } from './agent-limits.ts';
import { aiLimits } from './ai-limits.ts';
import { backupLimits } from './backup-limits.ts';
import { gateLimits } from './gate-limits.ts';
import { liveLimits } from './live-limits.ts';
import { sinkLimits } from './sink-limits.ts';
import { threatLimits } from './threat-limits.ts';

export const limits = {
  /** Bytes of a JSON body. */
  jsonBodyBytes: 65_536,
  /** How long the headers of a request may take, of the hub and of the MCP endpoint. */
  headersMs: 30_000,
  /** Router records, enabled or disabled. */
  routers: 10,
  /** Removed routers whose names are stored for their old connections; of more the oldest are forgotten. */
  routerTombstones: 1000,
  /** Rows of a connections page. */
  connectionsPage: 1000,
  /** Rows of the unpaged connections form. */
  connectionsUnpaged: 50_000,
  /** Values of one filter of the connections list. */
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
  retentionEveryMs: 3_600_000,
  retentionFirstMs: 60_000,
  /** How often hours that have ended are packed. */
  hourPackFirstMs: 5000,
  hourPackEveryMs: 300_000,
  /** Characters of the path of a followed log. */
  logPath: 4096,
  /** Names that clients asked for, cached for destinations that are new, and for how long. */
  namesKept: 50_000,
  nameKeptMs: 86_400_000,
  /** Look-ups beyond the hub (docs/reference/wire-contract/5-behaviours.md#56-outbound-requests). */
  lookupTimeoutMs: 8000,
  lookupBytes: 1_048_576,
  lookupRedirects: 5,
  /** Destinations without traffic for so long are not looked up; how often the rest is gone through. */
  lookupActiveMs: 86_400_000,
  lookupEveryMs: 60_000,
  /** After so many failures in a row a look-up rests. */
  lookupFailures: 5,
  lookupRestMs: 300_000,
  ptrTimeoutMs: 2000,
  ptrPerSecond: 20,
  ptrAtOnce: 8,
  ptrKeptMs: 86_400_000,
  ptrAbsentMs: 3_600_000,
  rdapAtOnce: 2,
  rdapPerSecond: 2,
  rdapKeptMs: 2_592_000_000,
  rdapBootstrapMs: 86_400_000,
  geoAtOnce: 1,
  geoPerSecond: 1,
  geoKeptMs: 2_592_000_000,
  /** How often a followed log is looked at, and characters of a line that is read. */
  logPollMs: 1000,
  logLine: 16_384,
  /** Threads that answer queries, and how many queries may wait for one. */
  readerThreads: 2,
  readersWaiting: 64,
  /** Characters of a router's display name. */
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
  ndpIntervalMs: 120_000,
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
  /** Characters of the login password, and of a new one at least. */
  password: 256,
  passwordMin: 14,
  /** Failures of one client within the window that lock it out, and for how long. */
  loginFailures: 5,
  loginWindowMs: 600_000,
  loginLockMs: 300_000,
  /** How long the answer to a failed login waits. */
  loginFailureDelayMs: 500,
  /** Password computations at once, and how many may wait for their turn. */
  passwordChecks: 2,
  passwordChecksWaiting: 32,
  sessionTtlDays: 30,
  sessionAbsoluteDays: 90,
  sessionRefreshMs: 300_000,
  sessionPruneMs: 21_600_000,
  /** Sessions of one person; one more ends the one that was used longest ago. */
  sessionsOfSubject: 1000,
  deviceLabel: 200,
  deviceLabelStored: 100,
  /** API identities: life, characters of the label, active ones. */
  identityLifetimeMinMs: 60_000,
  identityLifetimeMaxMs: 31_536_000_000,
  identityLabel: 100,
  identitiesActive: 25,
  /** Revoked and expired identities that are stored. */
  identitiesEnded: 500,
  identityTouchMs: 300_000,
  /** Rows of a page of the audit trail, bytes of the metadata of a row, days that rows are stored. */
  auditPage: 500,
  auditPageDefault: 100,
  auditMetadataBytes: 4096,
  auditRetentionDays: 180,
  auditPruneMs: 86_400_000,
  /** Rows of an audit that wait while its database refuses writes, and how often they are tried. */
  auditWaiting: 5000,
  auditRetryMs: 5000,
  /** Reads of API identities that are held in memory, to be found by their request id. */
  auditReads: 1000,
  /** Refusals of one kind in an hour that are recorded one by one, of a client and of all; how often the rest is summed. */
  auditRefusalsOfClient: 10,
  auditRefusals: 100,
  auditRefusalWindowMs: 3_600_000,
  auditRefusalCountMs: 600_000,
  /** How long a reset on a terminal waits for a running hub to take it. */
  resetWaitMs: 5000,
  oidcAllowList: 100,
  /** Time for requests at shutdown, and slow requests (docs/reference/wire-contract/5-behaviours.md#57-process). */
  drainMs: 10_000,
  slowRequestMs: 3000,
  /** Standstill of the event loop that ends the hub. */
  watchdogStallMs: 120_000,
  watchdogStallMinMs: 5000,
  /** MCP endpoint: requests per minute of the host, one subject, one client; tool calls at once. */
  mcpRateGlobal: 60,
  mcpRateSubject: 30,
  mcpRateClient: 30,
  mcpRateWindowMs: 60_000,
  mcpConcurrent: 4,
  mcpBodyBytes: 262_144,
  mcpRequestTimeoutMs: 30_000,
  mcpApiTimeoutMs: 15_000,
  mcpTimeoutMaxMs: 600_000,
  /** Subjects, clients and addresses whose windows are remembered; the oldest is forgotten beyond. */
  mcpRateKeys: 5000,
  /** Requests per minute that fail before the caller is known: after these an address is served with a valid credential only. */
  mcpRefusedPerAddress: 20,
  /** Requests per minute without any credential, which every OAuth client begins with, for one address. */
  mcpUnsignedPerAddress: 50,
  /** Credentials per minute that are judged for one address, besides as many as the whole host serves. */
  mcpJudgedPerAddress: 600,
  /** Audit rows per minute of requests without a valid credential: a flood must not fill the disk. */
  mcpRefusalRows: 600,
  /** Characters of MCP_AUDIT_HMAC_KEY. */
  mcpAuditKeyMin: 32,
  /** How long a row of the audit may be on its way to the disk before the endpoint refuses requests (decision 018). */
  mcpAuditDelayMs: 10_000,
  /** What is still read of a request that was refused, and for how long. */
  mcpLingerBytes: 1_048_576,
  mcpLingerMs: 1000,
  /** OAuth: tokens and the issuer (docs/reference/wire-contract/7-mcp-http.md#72-one-request). */
  mcpJwtBytes: 16_384,
  mcpClockSkewMs: 30_000,
  mcpIssuerFetchMs: 8000,
  mcpIssuerAnswerBytes: 1_048_576,
  mcpIssuerKeys: 100,
  mcpIssuerCacheMs: 300_000,
  /** Between two fetches that unknown key ids ask for, and after one that failed. */
  mcpIssuerRefreshMs: 10_000,
  mcpIssuerFailureMs: 5000,
  /**
   * The service identity: pause between two checks, and how long the start waits for the hub
   * (docs/reference/wire-contract/7-mcp-http.md#71-start).
   */
  mcpIdentityCheckMs: 3_600_000,
  mcpIdentityRetryMs: 60_000,
  /** How long a client may cache the list of tools. */
  mcpListTtlMs: 300_000,
  ...liveLimits,
  /** Characters of a note. */
  note: 500,
  /** Notes that are stored, those of merged devices included. */
  notes: 1000,
  /** How long a device is active, then recent (docs/reference/wire-contract/3-records.md#34-device). */
  deviceActiveMs: 86_400_000,
  deviceRecentMs: 604_800_000,
  /** Score from which two devices are proposed as one (docs/reference/device-evidence.md#weights). */
  mergeScore: 0.4,
  /** After this without a word of its router, an address may be taken over by what another router says. */
  leaseAbandonedMs: 1_200_000,
  /** Leases are stored for so many days after they ended. */
  leaseRetentionDays: 730,
  leasePruneMs: 86_400_000,
  /** IPv4 addresses one MAC may have at once before it is taken for a repeater's. */
  addressesOfMac: 8,
  /** Browser OIDC login (docs/reference/wire-contract/5-behaviours.md#54-browser-oidc). */
  oidcFlowMs: 600_000,
  oidcFlows: 1000,
  oidcFlowsOfClient: 10,
  oidcFetchMs: 10_000,
  oidcAnswerBytes: 1_048_576,
  oidcCacheMs: 3_600_000,
  oidcSkewMs: 60_000,
  /** Rows of a page of the detection log. */
  detectionPage: 2000,
  /** How far back threats without a notification are looked for. */
  detectionSweepMs: 86_400_000,
  /** How long the same device, or the same regular contact, is no news; and how long it is stored what was notified of. */
  detectionDeviceQuietMs: 86_400_000,
  detectionBeaconQuietMs: 604_800_000,
  detectionToldMs: 691_200_000,
  /** Retro-matches: how long the same one is no news, how recent traffic is that goes on, and what a card and a change show. */
  detectionRetroQuietMs: 604_800_000,
  retroMatchOngoingMs: 600_000,
  retroMatchConnections: 20,
  retroMatchEvents: 50,
  /** Beacons: how often and how soon the hub looks for them. */
  beaconScanMs: 3_600_000,
  beaconFirstScanMs: 300_000,
  /** Regular flows that a scan names. */
  beaconsFound: 1000,
  /** Starts of one flow in six hours, and of all together: bytes on disk. */
  beaconStartsPerSlot: 512,
  beaconStartBytes: 67_108_864,
  beaconScanMinMs: 300_000,
  beaconDomains: 200,
  beaconOrganisations: 100,
  beaconsDismissed: 10_000,
  /** Starts of sessions that a beacon shows. */
  beaconStarts: 2000,
  ...agentLimits,
  ...aiLimits,
  ...backupLimits,
  /** Chat workspace. */
  chatToken: 512,
  chatName: 256,
  chatCooldownMinutes: 1440,
  chatCooldownMinutesDefault: 60,
  chatTimeoutMs: 10_000,
  chatAnswerBytes: 1_048_576,
  chatMemberPages: 5,
  chatMembersPage: 200,
  /** Delivery of alerts: a message a second, five a minute before they are combined, and how long it is tried. */
  chatPaceMs: 1000,
  chatMessagesPerMinute: 5,
  chatMinuteMs: 60_000,
  chatRetryMinMs: 5000,
  chatRetryMaxMs: 600_000,
  chatKeepTryingMs: 604_800_000,
  /** How long delivered messages are stored. */
  chatRecordMs: 2_592_000_000,
  ...gateLimits,
  ...sinkLimits,
  ...threatLimits,
} as const;
