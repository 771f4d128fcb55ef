// The flow store of a reader thread: read once, then updated from the change log, and kept in a file for the next start.
import { findStarts, stableOrder } from '#kernel/columns/counting-order.ts';
import { freeBuffer } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import { type FlowChange, readChanges } from '../../store/change-log.ts';
import { applyChanges } from './apply-changes.ts';
import { createColumns, putFlow, readFlows, reorderColumns, threatAt } from './columns.ts';
import { DeltaHours, readOtherHours } from './delta-hours.ts';
import { readFlowHours } from './hours.ts';
import { Interner } from './interner.ts';
import { openStore, readKeptStore, writeStore } from './kept-store.ts';
import { RowIdMap } from './row-id-map.ts';
import { deltaCapacity, type FlowStore } from './type.ts';

/** What the thread of a reader holds. */
interface HeldStore {
  store: FlowStore | null;
  /** Position in the log of changes up to which `store` is current; null before the first query. */
  position: number | null;
  /** Flows and hours that changed since the file was written; `Infinity` when everything was read again. */
  unkept: number;
  /** Why the file could not be read; null when it could, and without one. */
  refused: string | null;
}

function getHeldStore(reader: Reader): HeldStore {
  return reader.attached('flow store', () => ({ store: null, position: null, unkept: 0, refused: null }));
}

/**
 * The flows as `reader` sees the log now. The first call reads the file beside the database. Without one, and after many
 * changes, it reads everything (2 s a million) and orders destinations by `targets`.
 */
export function updateFlowStore(reader: Reader, targets: Uint32Array): FlowStore {
  const held = getHeldStore(reader);
  if (held.position === null) {
    openKeptStore(reader, held);
  }
  const { position, changes } = readChanges(reader, held.position);
  const known = held.store && changes && applyChanges(reader, held.store, changes);
  held.store = known ?? readAll(reader, targets);
  held.position = position;
  held.unkept = known && changes ? held.unkept + countNamed(changes) : Number.POSITIVE_INFINITY;
  return held.store;
}

function openKeptStore(reader: Reader, held: HeldStore): void {
  const kept = readKeptStore(reader);
  if (typeof kept === 'string') {
    held.refused = kept;
  } else if (kept !== null) {
    held.store = openStore(reader, kept);
    held.position = kept.about.position;
  }
}

function countNamed(changes: readonly FlowChange[]): number {
  return changes.reduce((sum, { flows, rows }) => sum + flows.length + rows.length, 0);
}

/** Flows that the calling thread holds in memory; 0 before its first summary. */
export function cachedFlows(reader: Reader): { hotEntries: number } {
  return { hotEntries: getHeldStore(reader).store?.length ?? 0 };
}

/**
 * Writes the store into the file beside the database when at least `least` flows and hours have changed since it was
 * written. A store that an erasure made stale is dropped instead. `refused` says, once, why the file before could not be
 * read.
 */
export function keepFlowStore(reader: Reader, { least }: { least: number }): { refused: string | null } {
  const held = getHeldStore(reader);
  const { store, position, unkept, refused } = held;
  held.refused = null;
  if (store !== null && position !== null && readChanges(reader, position).changes === null) {
    held.store = null;
  } else if (store !== null && position !== null && unkept >= least) {
    writeStore(reader, store, position);
    held.unkept = 0;
  }
  return { refused };
}

function readAll(reader: Reader, targets: Uint32Array): FlowStore {
  const count = reader.prepare('SELECT count(*) FROM flow').pluck().get() as number;
  const newest = reader.prepare('SELECT max(last_seen) FROM flow').pluck().get() as number | null;
  const columns = createColumns(count);
  const ids = new Uint32Array(count);
  const destination = new Uint32Array(count);
  const verdicts = new Map<number, number>();
  let length = 0;
  for (const row of readFlows(reader)) {
    putFlow(columns, length, row);
    ids[length] = row[0];
    destination[length] = row[2];
    if (row[threatAt] !== null) {
      verdicts.set(row[0], row[threatAt]);
    }
    length += 1;
  }
  const destinations = internByTarget(destination, targets);
  const bySource = stableOrder(columns.source, findHighest(columns.source) + 1);
  const order = stableOrder(destination, destinations.count, bySource);
  reorderColumns(columns, order, count + deltaCapacity);
  const rowIds = new RowIdMap();
  for (let row = 0; row < count; row += 1) {
    rowIds.set(ids[order[row] as number] as number, row);
  }
  const findRow = (flow: number) => rowIds.get(flow);
  const endHour = newest === null ? 0 : hourOf(newest);
  const hours = readFlowHours(reader, count, findRow, endHour);
  const deltaHours = new DeltaHours();
  readOtherHours(reader, deltaHours, hours);
  const starts = findStarts(destination, destinations.count);
  for (const scratch of [ids, destination, bySource, order]) {
    freeBuffer(scratch);
  }
  return {
    columns,
    mainLength: count,
    length: count,
    destinations,
    starts,
    deltaDestination: new Uint32Array(deltaCapacity),
    threats: new Map([...verdicts].map(([flow, threat]) => [findRow(flow), threat])),
    rowIds,
    hours,
    deltaHours,
    deltaEntries: deltaHours.listEntries(findRow),
  };
}

/** Numbers the destinations target by target, and replaces the ids in `destinations` by their numbers. */
function internByTarget(destinations: Uint32Array, targets: Uint32Array): Interner {
  const ids = Uint32Array.from(new Set(destinations)).sort();
  const target = ids.map((id) => targets[id] ?? 0);
  const interner = new Interner();
  for (const at of stableOrder(target, findHighest(target) + 1)) {
    interner.intern(ids[at] as number);
  }
  for (let at = 0; at < destinations.length; at += 1) {
    destinations[at] = interner.intern(destinations[at] as number);
  }
  return interner;
}

function findHighest(numbers: Uint32Array): number {
  let most = 0;
  for (const number of numbers) {
    most = number > most ? number : most;
  }
  return most;
}
