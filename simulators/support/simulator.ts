// What every simulator is: an address, what can be asked of it and done to it, and a journal of what arrived.
import type { Clock } from '#kernel/time/clock.ts';

/** One thing that arrived or happened; secrets are masked before they get here. */
export interface Entry {
  /** Epoch milliseconds on the simulator's clock. */
  at: number;
  kind: string;
  [detail: string]: unknown;
}

/** What every simulator can be asked and told. The same verbs are served over HTTP by `serveControl`. */
export interface Control<Fault extends string> {
  /** The newest 10,000 things that arrived or happened, oldest first, with secrets masked. */
  journal(): readonly Entry[];
  clearJournal(): void;
  /** Arms a named fault for the next `times` occasions (until cleared when absent). Throws for an unknown name. */
  fail(fault: Fault, options?: FaultOptions): void;
  clearFaults(): void;
  /** Back to the state at the start: world, faults and journal. */
  reset(): void;
  /** What the simulator holds now, as plain JSON. */
  state(): Record<string, unknown>;
  /** Changes part of the state; an unknown or invalid member throws and changes nothing. */
  patch(change: Record<string, unknown>): void;
}

export interface FaultOptions {
  times?: number;
  /** Occasions that pass first without the fault. */
  skip?: number;
  /** Only when this command (or a command starting with it) is run. */
  command?: string;
  /** The fault comes after so many bytes of output. */
  afterBytes?: number;
  /** Fault-specific value: milliseconds, bytes per second, a text. */
  value?: number | string;
}

export interface SimulatorOptions {
  /** 127.0.0.1 when absent; anything but loopback needs `allowNonLoopback` or SIM_ALLOW_NON_LOOPBACK=true. */
  host?: string;
  allowNonLoopback?: boolean;
  /** 0, a free port, when absent. */
  port?: number;
  clock?: Clock;
  onEntry?: (entry: Entry) => void;
}

/** `await using` stops it: its ports are closed and nothing is left. */
export interface Simulator extends AsyncDisposable {
  readonly url: URL;
}
