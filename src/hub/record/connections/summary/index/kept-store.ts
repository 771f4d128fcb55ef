// The flow store in a file beside the database: a thread that starts reads it instead of every flow.
import { rmSync } from 'node:fs';
import { type NamedArrays, readArrayFile, writeArrayFile } from '#kernel/columns/array-file.ts';
import { messageOf } from '#kernel/errors.ts';
import { isSystemError } from '#kernel/files/files.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { toFlowStoreFile } from '../../../../base/storage/flow-store-file.ts';
import { hasPassed, type KeptPosition, toKeptPosition } from '../../store/change-log.ts';
import { DeltaHours, readLateRows, readOtherHours } from './delta-hours.ts';
import { Interner } from './interner.ts';
import { RowIdMap } from './row-id-map.ts';
import { deltaCapacity, type FlowStore } from './type.ts';

/** Raise it whenever a store means something else than before: files of other versions are not read. */
const storeVersion = 1;

interface KeptStore extends KeptPosition {
  version: number;
  /** The schema of the database: a migration may change flows without naming them in the log of changes. */
  schema: number;
  mainLength: number;
  length: number;
  firstHour: number;
  endHour: number;
}

/** Removes the file: its ids and instants of flows must not outlive them. It holds no addresses. */
export function removeKeptStore(databaseFile: string): void {
  rmSync(toFlowStoreFile(databaseFile), { force: true });
}

/**
 * Writes `store`, which is current up to `position` in the log of changes. Returns false when the database does not know
 * its own runs. Throws when the file cannot be written; the one before is left then.
 */
export function writeStore(reader: Reader, store: FlowStore, position: number): boolean {
  const kept = toKeptPosition(reader, position);
  if (kept === null) {
    return false;
  }
  const { mainLength, length, hours } = store;
  const { firstHour, endHour } = hours;
  const about: KeptStore = {
    ...{ version: storeVersion, schema: readSchema(reader) },
    ...kept,
    ...{ mainLength, length, firstHour, endHour },
  };
  writeArrayFile(toFlowStoreFile(reader.file), about, toArrays(store));
  return true;
}

function toArrays({ columns, mainLength, length, threats, hours, ...store }: FlowStore): NamedArrays {
  const rows = Object.entries(columns).map(([name, values]) => [name, values.subarray(0, length)] as const);
  return {
    ...Object.fromEntries(rows),
    ids: store.rowIds.listIds(length),
    destinationIds: store.destinations.ids,
    starts: store.starts,
    deltaDestination: store.deltaDestination.subarray(0, length - mainLength),
    threatRows: Uint32Array.from(threats.keys()),
    threatIds: Uint32Array.from(threats.values()),
    hourStarts: hours.starts,
    hourEntries: hours.entries,
    hourObservations: hours.observations,
    overflowEntries: Uint32Array.from(hours.overflows.keys()),
    overflowTimes: Uint32Array.from(hours.overflows.values()),
    lateHours: store.deltaHours.listLate(),
  };
}

/**
 * What came of reading the file: a store and its position, or what is wrong with the file. Null: there is none, or it belongs
 * to another state of the database, as after a restore or an upgrade.
 */
export type ReadStore = { store: FlowStore; position: number } | { store: null; refused: string | null };

/** Reads the store beside the database of `reader`, when it belongs to that database as it is now. */
export function readStore(reader: Reader): ReadStore {
  const schema = readSchema(reader);
  const isOfNow = (about: unknown): about is KeptStore => {
    const kept = about as KeptStore;
    return kept.version === storeVersion && kept.schema === schema && hasPassed(reader, kept);
  };
  // New flows are added behind these, until everything is read again.
  const spare = (name: string) => (perRow.has(name) || name === 'deltaDestination' ? deltaCapacity : 0);
  try {
    const read = readArrayFile(toFlowStoreFile(reader.file), isOfNow, spare);
    return read === null
      ? { store: null, refused: null }
      : { store: toStore(reader, read.about, read.arrays as Arrays), position: read.about.position };
  } catch (error) {
    const isAbsent = isSystemError(error) && error.code === 'ENOENT';
    return { store: null, refused: isAbsent ? null : messageOf(error) };
  }
}

const perRow = new Set(['source', 'observers', 'app', 'ttl', 'firstSeconds', 'firstMs', 'lastSeconds', 'lastMs']);

type Arrays = Record<string, Uint32Array<ArrayBuffer>>;

function toStore(reader: Reader, about: KeptStore, arrays: Arrays): FlowStore {
  const array = (name: string) => {
    const found = arrays[name];
    if (found === undefined) {
      throw new Error(`its array ${name} is missing`);
    }
    return found;
  };
  const destinations = new Interner();
  for (const id of array('destinationIds')) {
    destinations.intern(id);
  }
  const rowIds = new RowIdMap();
  for (const [row, id] of array('ids').entries()) {
    if (id > 0) {
      rowIds.set(id, row);
    }
  }
  const { mainLength, length, firstHour, endHour } = about;
  const deltaHours = new DeltaHours();
  readOtherHours(reader, deltaHours, about);
  readLateRows(reader, deltaHours, array('lateHours'));
  return {
    columns: Object.fromEntries([...perRow].map((name) => [name, array(name)])) as unknown as FlowStore['columns'],
    mainLength,
    length,
    destinations,
    starts: array('starts'),
    deltaDestination: array('deltaDestination'),
    threats: toMap(array('threatRows'), array('threatIds')),
    rowIds,
    hours: {
      firstHour,
      endHour,
      starts: array('hourStarts'),
      entries: array('hourEntries'),
      observations: array('hourObservations') as unknown as Uint8Array,
      overflows: toMap(array('overflowEntries'), array('overflowTimes')),
    },
    deltaHours,
    deltaEntries: deltaHours.listEntries((flow) => rowIds.get(flow)),
  };
}

function toMap(keys: Uint32Array, values: Uint32Array): Map<number, number> {
  return new Map(Array.from(keys, (key, at) => [key, values[at] as number]));
}

function readSchema(reader: Reader): number {
  return reader.prepare('PRAGMA user_version').pluck().get() as number;
}
