// The flow store of a reader thread: read once, then updated from the change log.
import { findStarts, stableOrder } from '#kernel/columns/counting-order.ts';
import { freeBuffer } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import { readChanges } from '../../store/change-log.ts';
import { findHours, readHourRows } from '../../store/hour-rows.ts';
import { applyChanges } from './apply-changes.ts';
import { createColumns, putFlow, readFlows, reorderColumns, threatAt } from './columns.ts';
import { DeltaHours } from './delta-hours.ts';
import { readFlowHours } from './hours.ts';
import { Interner } from './interner.ts';
import { RowIdMap } from './row-id-map.ts';
import { deltaCapacity, type FlowStore } from './type.ts';

/** Returns the store of `reader`, and the position in the change log up to which it is current. */
function getCache(reader: Reader): { store: FlowStore | null; position: number | null } {
  return reader.attached('flow store', () => ({ store: null, position: null }));
}

/**
 * The flows as `reader` sees the log now. The first call, and one after many changes, reads everything (2 s a million)
 * and orders destinations by `targets`.
 */
export function updateFlowStore(reader: Reader, targets: Uint32Array): FlowStore {
  const cache = getCache(reader);
  const { position, changes } = readChanges(reader, cache.position);
  const store = (cache.store && changes && applyChanges(reader, cache.store, changes)) || readAll(reader, targets);
  Object.assign(cache, { store, position });
  return store;
}

/** Flows that the calling thread holds in memory; 0 before its first summary. */
export function cachedFlows(reader: Reader): { hotEntries: number } {
  return { hotEntries: getCache(reader).store?.length ?? 0 };
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
  const earlier = findHours(reader, -lastHour, hours.firstHour - 1);
  for (const hour of [...earlier, ...findHours(reader, endHour, lastHour)]) {
    deltaHours.replaceHour(hour, (rows) => readHourRows(reader, hour, rows));
  }
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

const lastHour = 2 ** 31;

function findHighest(numbers: Uint32Array): number {
  let most = 0;
  for (const number of numbers) {
    most = number > most ? number : most;
  }
  return most;
}
