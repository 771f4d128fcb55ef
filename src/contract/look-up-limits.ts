// The limits of look-ups beyond the hub (docs/reference/wire-contract/5-behaviours.md#56-outbound-requests).

export const lookUpLimits = {
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
} as const;
