// Which columns of a feature's tables are times, so that they can be corrected after the clock was ahead.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';

export interface TableTimes {
  readonly table: string;
  /** Columns of times in the past: a value later than now is corrected. */
  readonly timestamps: readonly string[];
  /** Each deadline, and the stamp that it was computed from or SQL for it: the deadline is shifted by as much. */
  readonly deadlines?: Readonly<Record<string, string>>;
  /** The clock that wrote them is the steady clock: what expires, and what its end is computed from. */
  readonly isSteady?: true;
}

/** Corrects times that are packed or have a meaning of their own; returns how many rows it changed. */
export type TimeClamp = (writer: Writer, now: number) => WriteSteps<number>;

export interface ClockCorrections {
  readonly tables: readonly TableTimes[];
  readonly clamps?: readonly TimeClamp[];
}
