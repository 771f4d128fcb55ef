// What is asked of the closed hours of the log, and what is answered.

/** What a look at the log found. Hours are whole hours since the epoch. */
export interface HoursFound {
  /** Where the change log stood: for the next look. */
  position: number;
  /** Every closed hour in which anything was seen, ascending. */
  hours: number[];
  /** Of these, the ones that changed since the look before; null: any may have. */
  changed: number[] | null;
  /** Rows of the hours that were asked for by not being `known`, and of those that changed. */
  rows: [hour: number, rows: number][];
}

export interface LookParams {
  /** That of the look before; null finds that everything may have changed. */
  position: number | null;
  /** Hours that ended at or before this instant are closed. */
  closedAt: number;
  /** Hours whose rows need not be counted. */
  known: readonly number[];
}

/** An hour that is wanted, and the digest of what is there already. */
export interface WantedHour {
  hour: number;
  digest: Uint8Array | null;
}

export interface UnitParams {
  /** In the order in which they are taken; not all of them may be. */
  wanted: readonly WantedHour[];
  /** Name of this hub, in every row. */
  hub: string;
  /** In every row; of rows that are sent again, the greatest holds. */
  version: number;
  /** Rows of one body at most. */
  bodyRows: number;
}

/** Hours that are sent together, from one snapshot. */
export interface Unit {
  /** Those that were read, also the ones that are there already as they are. */
  hours: { hour: number; rows: number; digest: Uint8Array; isSent: boolean }[];
  /** Tab-separated rows of the others, in the columns of `hourColumns`. */
  bodies: { bytes: Uint8Array; rows: number; digest: string }[];
}

export interface ClosedHours {
  look(params: LookParams, signal?: AbortSignal): Promise<HoursFound>;
  /** Takes whole hours until they fill a body; one hour may take several. */
  unit(params: UnitParams, signal?: AbortSignal): Promise<Unit>;
  /** Rows of each of these hours that is in the log. */
  count(hours: readonly number[] | 'all', closedAt: number, signal?: AbortSignal): Promise<[number, number][]>;
}
