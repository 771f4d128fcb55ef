// The flow store in a file beside the database: a thread that starts reads it instead of every flow.
import { rmSync } from 'node:fs';
import { readArrayFile, writeArrayFile } from '#kernel/columns/array-file.ts';
import { messageOf } from '#kernel/errors.ts';
import { ifThere } from '#kernel/files/files.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { toFlowStoreFile } from '../../../../base/storage/flow-store-file.ts';
import { findRunAt, hasReached } from '../../store/change-log.ts';
import { applyChanges } from './apply-changes.ts';
import { createColumns, type FlowColumns } from './columns.ts';
import { DeltaHours, emptyEntries, readOtherHours } from './delta-hours.ts';
import { Interner } from './interner.ts';
import { RowIdMap } from './row-id-map.ts';
import { deltaCapacity, type FlowStore } from './type.ts';

/** Raise it whenever a store or its arrays mean something else than before: files of other versions are not read. */
const storeVersion = 2;

/** What the file says of itself. */
export interface AboutStore {
  version: number;
  /** The schema of the database: a migration may change flows without naming them in the log of changes. */
  schema: number;
  /** The store is current up to this position of the log of changes, which the log reached in this run of the hub. */
  run: string;
  position: number;
  mainLength: number;
  length: number;
  firstHour: number;
  endHour: number;
}

/** The columns of a store, and what its other members are made from. */
export interface StoreArrays extends FlowColumns {
  /** The id of each row; 0 for rows whose flow is deleted. */
  ids: Uint32Array;
  destinationIds: Uint32Array;
  starts: Uint32Array;
  deltaDestination: Uint32Array<ArrayBuffer>;
  threatRows: Uint32Array;
  threatIds: Uint32Array;
  hourStarts: Uint32Array;
  hourEntries: Uint32Array;
  hourObservations: Uint8Array;
  overflowEntries: Uint32Array;
  overflowTimes: Uint32Array;
  /** As a change of the log names them: hour, flow, hour, flow, … */
  lateRows: Uint32Array;
}

/** Removes the file: its ids and instants of flows must not outlive them. It holds no addresses. */
export function removeKeptStore(databaseFile: string): void {
  rmSync(toFlowStoreFile(databaseFile), { force: true });
}

/**
 * Writes `store`, which is current up to `position` in the log of changes; nothing where the database does not know its
 * runs. Throws when the file cannot be written: the one before is left then.
 */
export function writeStore(reader: Reader, store: FlowStore, position: number): void {
  const run = findRunAt(reader, position);
  if (run === null) {
    return;
  }
  const { columns, mainLength, length, threats, hours, deltaHours, rowIds, destinations } = store;
  const { firstHour, endHour, overflows } = hours;
  const rows = Object.entries(columns).map(([name, values]) => [name, values.subarray(0, length)]);
  const arrays: StoreArrays = {
    ...(Object.fromEntries(rows) as FlowColumns),
    ids: rowIds.listIds(length),
    destinationIds: destinations.ids,
    starts: store.starts,
    deltaDestination: store.deltaDestination.subarray(0, length - mainLength),
    threatRows: Uint32Array.from(threats.keys()),
    threatIds: Uint32Array.from(threats.values()),
    hourStarts: hours.starts,
    hourEntries: hours.entries,
    hourObservations: hours.observations,
    overflowEntries: Uint32Array.from(overflows.keys()),
    overflowTimes: Uint32Array.from(overflows.values()),
    lateRows: deltaHours.listLateRows(),
  };
  const schema = readSchema(reader);
  const about: AboutStore = { version: storeVersion, schema, run, position, mainLength, length, firstHour, endHour };
  writeArrayFile(toFlowStoreFile(reader.file), about, { ...arrays });
}

/** A file that was read, for `openStore`. */
export interface KeptStore {
  about: AboutStore;
  arrays: StoreArrays;
}

/**
 * Reads the file beside the database of `reader`. Returns null when there is none, and when it belongs to another state of
 * the database, as after a restore or an upgrade; a sentence when the file cannot be read or is damaged.
 */
export function readKeptStore(reader: Reader): KeptStore | string | null {
  const schema = readSchema(reader);
  const isOfNow = (about: unknown): about is AboutStore => {
    const kept = about as AboutStore;
    return kept.version === storeVersion && kept.schema === schema && hasReached(reader, kept.run, kept.position);
  };
  try {
    const read = ifThere(() => readArrayFile(toFlowStoreFile(reader.file), isOfNow, spareRows), null);
    return read && { about: read.about, arrays: read.arrays as unknown as StoreArrays };
  } catch (error) {
    return messageOf(error);
  }
}

const columnNames = Object.keys(createColumns(0));

/** New flows are added behind the rows of a store, until everything is read again. */
function spareRows(name: string): number {
  return name === 'deltaDestination' || columnNames.includes(name) ? deltaCapacity : 0;
}

/**
 * The store of a file; the hours that change often are read from the database. Returns null when reading everything is
 * cheaper.
 */
export function openStore(reader: Reader, { about, arrays }: KeptStore): FlowStore | null {
  const { mainLength, length, firstHour, endHour } = about;
  const { ids, destinationIds, starts, deltaDestination, lateRows } = arrays;
  const destinations = new Interner();
  for (const id of destinationIds) {
    destinations.intern(id);
  }
  const rowIds = new RowIdMap();
  for (const [row, id] of ids.entries()) {
    if (id > 0) {
      rowIds.set(id, row);
    }
  }
  const deltaHours = new DeltaHours();
  readOtherHours(reader, deltaHours, about);
  const store: FlowStore = {
    columns: Object.fromEntries(Object.entries(arrays).filter(([name]) => columnNames.includes(name))) as FlowColumns,
    ...{ mainLength, length, destinations, starts, deltaDestination, rowIds, deltaHours },
    threats: toMap(arrays.threatRows, arrays.threatIds),
    hours: {
      ...{ firstHour, endHour, starts: arrays.hourStarts, entries: arrays.hourEntries },
      observations: arrays.hourObservations,
      overflows: toMap(arrays.overflowEntries, arrays.overflowTimes),
    },
    // Listed with the late rows.
    deltaEntries: emptyEntries(0),
  };
  return applyChanges(reader, store, [{ flows: new Uint32Array(), hour: null, rows: lateRows }]);
}

function toMap(keys: Uint32Array, values: Uint32Array): Map<number, number> {
  return new Map(Array.from(keys, (key, at) => [key, values[at] as number]));
}

function readSchema(reader: Reader): number {
  return reader.prepare('PRAGMA user_version').pluck().get() as number;
}
