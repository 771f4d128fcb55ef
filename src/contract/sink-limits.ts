// Numbers of the sink of closed hours into ClickHouse.

export const sinkLimits = {
  sinkRequestMs: 60_000,
  /** For all of a long range that ClickHouse is asked for. */
  historyMs: 30_000,
  sinkBatchRows: 10_000,
  /** Between two inserts. */
  sinkPaceMs: 1000,
  /** Between two looks at what changed in the log. */
  sinkLookMs: 300_000,
  /** How long after its end an hour is closed for the sink: reads of routers under way still belong to it. */
  sinkGraceMs: 300_000,
  /** All hours of the log are compared with what was sent. */
  sinkSweepMs: 86_400_000,
  sinkRetryMinMs: 2000,
  sinkRetryMaxMs: 600_000,
} as const;
