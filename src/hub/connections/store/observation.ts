// What the recorder takes in: one flow seen once, by one observer. Router polls and Agent batches are brought to this form.

/** `at` ≤ now; addresses canonical; `proto` upper case. Instants are epoch milliseconds. */
export interface Observation {
  src: string;
  dst: string;
  /** 0…65535; 0 where not applicable. */
  dport: number;
  proto: string;
  sport: number | null;
  /** Remaining NAT timeout in seconds. */
  ttl: number | null;
  /** Start of the flow, when its source knows it; else equal to `at`. */
  startedAt: number;
  /** Last sign of traffic: what `lastSeen` becomes. */
  at: number;
  /**
   * Set when this session was not there at the read before: `exact` when `startedAt` is its start to the second, `poll`
   * when it is the read that first showed it.
   */
  newSession?: 'exact' | 'poll' | undefined;
}

/** What recording a batch did. */
export interface Recorded {
  /** Flows not seen before. */
  added: number;
  /** Known flows with traffic since they were last recorded. */
  renewed: number;
  /** Known flows without any: nothing was written for them. */
  unchanged: number;
}
