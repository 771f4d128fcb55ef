// The in-memory index of all flows: a sorted main part, and a delta of what was added since.
import type { FlowColumns } from './columns.ts';
import type { DeltaEntries, DeltaHours } from './delta-hours.ts';
import type { FlowHours } from './hours.ts';
import type { Interner } from './interner.ts';
import type { RowIdMap } from './row-id-map.ts';

/**
 * One row per flow. The rows of the main part are ordered by destination, destinations by their target at that time, and
 * the flows to one destination by source: what is counted together lies together. Rows of the delta follow in order of
 * arrival.
 */
export interface FlowStore {
  columns: FlowColumns;
  /** Rows of the main part. */
  mainLength: number;
  /** Rows in all. */
  length: number;
  /** Numbers of destinations: in the order of the main part, then of arrival. */
  destinations: Interner;
  /** First row of each destination of the main part, by number, and the end of the last. */
  starts: Uint32Array;
  /** Destination numbers of the rows of the delta. */
  deltaDestination: Uint32Array<ArrayBuffer>;
  /** Verdict ids by row, of rows with `hasThreat`; others may be left of what has changed. */
  threats: Map<number, number>;
  rowIds: RowIdMap;
  /** Hours of the main part. */
  hours: FlowHours;
  /** Hours that are not in `hours`, or replace an entry of it. */
  deltaHours: DeltaHours;
  /** The same in the order of rows. */
  deltaEntries: DeltaEntries;
}

/** Capacity of the delta of a new store. */
export const deltaCapacity = 4096;
