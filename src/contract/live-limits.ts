// Limits of live updates: the event streams of GET /api/events. limits.ts includes them.

export const liveLimits = {
  liveStreams: 100,
  liveStreamsOfCredential: 10,
  /** The hub keeps the latest events up to both bounds, for readers that lag or connect again. */
  liveRingEvents: 1000,
  liveRingBytes: 4_194_304,
  /**
   * A stream ends when its reader is more than this behind, and has been behind for `liveSlowMs`. A single larger event
   * is sent as `resync`: the reader then loads everything again.
   */
  liveWaitingBytes: 1_048_576,
  liveSlowMs: 5000,
  /** An event includes all device notes when their JSON is not larger than this; otherwise only the changed ones. */
  liveNotesBytes: 65_536,
  liveHeartbeatMs: 15_000,
  /** Longest time between two checks of the credential of an open stream. */
  liveRecheckMs: 60_000,
  /** When a stream ends, its reader has this time to take the last event. */
  liveGoodbyeMs: 1000,
  /** How long a reader waits before it connects again. */
  liveRetryMs: 3000,
  liveConnections: 500,
} as const;
