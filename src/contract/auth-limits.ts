// The limits of login, sessions, API identities and the audit trail (docs/reference/rest-api.md#5-authentication).

export const authLimits = {
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
  userAgentStored: 300,
  /** API identities: life, characters of the label, active ones. */
  identityLifetimeMinMs: 60_000,
  identityLifetimeMaxMs: 31_536_000_000,
  identityLabel: 100,
  identitiesActive: 25,
  identitiesEnded: 500,
  identityTouchMs: 300_000,
  /** Rows of a page of the audit trail, bytes of the metadata of a row, days that rows are stored. */
  auditPage: 500,
  auditPageDefault: 100,
  /** Characters of the text of a search, and events that one request searches. */
  auditSearch: 200,
  auditSearched: 10_000,
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
} as const;
