// The limits of the threat feeds (docs/reference/wire-contract/3-records.md#32-threat) and of the manual look-up
// (docs/reference/wire-contract/4-endpoints.md#manual-look-up), for limits.ts.

export const threatLimits = {
  /** Threat feeds. Sizes, floors and waits follow the publishers' terms: src/hub/identify/threat/feed-documents.ts. */
  feedTimeoutMs: 30_000,
  feedBytes: 67_108_864,
  feedUnpackedBytes: 268_435_456,
  feedEntries: 500_000,
  feedsEveryMs: 60_000,
  feedsFirstMs: 2000,
  /** Grades age: tables are rebuilt at least so often. */
  feedsRebuildMs: 86_400_000,
  feedRetryMinMs: 300_000,
  feedRetryMaxMs: 21_600_000,
  allowList: 200,
  allowListEntry: 253,
  /** Entries of the block list that people made, and characters of a name on it: a resolver adds the name of its zone. */
  blockList: 500,
  blockListName: 200,
  blockListNote: 200,
  /** Manual look-up at reputation services. */
  threatKey: 4096,
  lookUpCacheMinutes: 60,
  lookUpCacheMinutesMin: 5,
  lookUpCacheMinutesMax: 1440,
  lookUpCacheEntries: 1000,
  lookUpIntervalSeconds: 15,
  lookUpIntervalSecondsMax: 3600,
  lookUpTimeoutMs: 10_000,
  lookUpAnswerBytes: 2_097_152,
  lookUpLimitMs: 60_000,
  pulses: 5,
  pulseName: 200,
} as const;
