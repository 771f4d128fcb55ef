// How quick a router is. All waits pass on the simulator's clock; `none` waits for nothing.

export interface Latency {
  /** TCP accept to identification. */
  acceptMs: number;
  /** End of a command to its first output. */
  promptMs: number;
  /** Start of a table to its first byte, on top of `promptMs`. */
  tableMs: number;
  /** Output rate; null = as fast as it goes. */
  bytesPerSecond: number | null;
  /** Whether the pauses of dialogues are waited for, such as 0.9 s after a wrong secret. */
  pauses: boolean;
}

export const latencies = {
  none: { acceptMs: 0, promptMs: 0, tableMs: 0, bytesPerSecond: null, pauses: false },
  modern: { acceptMs: 10, promptMs: 10, tableMs: 60, bytesPerSecond: 400_000, pauses: true },
  old: { acceptMs: 800, promptMs: 60, tableMs: 300, bytesPerSecond: 60_000, pauses: true },
} as const satisfies Record<string, Latency>;

export type LatencyName = keyof typeof latencies;
