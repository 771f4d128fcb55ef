// The limits of live updates, for limits.ts.

export const liveLimits = {
  liveStreams: 100,
  liveStreamsOfCredential: 10,
  liveRingEvents: 1000,
  liveRingBytes: 4_194_304,
  /** Bytes of events that may wait for a reader, and for how long more may. A larger event becomes a `resync`. */
  liveWaitingBytes: 1_048_576,
  liveSlowMs: 5000,
  /** Largest list of all notes that an event carries, in bytes of JSON. */
  liveNotesBytes: 65_536,
  liveHeartbeatMs: 15_000,
  liveRecheckMs: 60_000,
  /** How long a reader may take for the last event of a stream that ends. */
  liveGoodbyeMs: 1000,
  liveRetryMs: 3000,
  liveConnections: 500,
} as const;
