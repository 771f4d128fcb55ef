// Every flow of the log in a few typed arrays, by its id: what a summary counts over, in the thread that answers summaries.
import type { Reader } from '#kernel/sqlite.ts';
import { appNumberOf } from './app-guess.ts';
import { readChanges } from './flow-change.ts';

/** Columns of the flows `base`, `base + 1`, …; a place whose `lastSeconds` is 0 holds none. 33 bytes a flow. */
export interface FlowColumns {
  base: number;
  /** Places in use. */
  length: number;
  source: Uint32Array;
  destination: Uint32Array;
  observers: Uint32Array;
  /** Of the list `apps`. */
  app: Uint8Array;
  /** -1 where unknown. */
  ttl: Int32Array;
  /** By id: the few flows that are not safe, and their verdicts. */
  threats: Map<number, number>;
  /** Instants as whole seconds since the epoch, and milliseconds beyond. */
  firstSeconds: Uint32Array;
  firstMs: Uint16Array;
  lastSeconds: Uint32Array;
  lastMs: Uint16Array;
  /** Of `flow-edges.ts`; 0 until it is numbered, and again whenever the flow is read again. */
  edge: Uint32Array;
}

type FlowRow = [
  id: number,
  source: number,
  destination: number,
  observers: number,
  dport: number,
  proto: string,
  ttl: number | null,
  threat: number | null,
  first: number,
  last: number,
];

const select = `SELECT id, source_id, destination_id, observer_set_id, dport, proto, ttl, threat_id, first_seen, last_seen
  FROM flow`;

/** Room for flows to come, so that arrays seldom have to be made anew. */
const spare = 1.02;
const leastSpare = 4096;

const kept = new WeakMap<Reader, { columns: FlowColumns; place: number }>();

/** The columns as `reader` sees the log now. The first time it reads every flow (about a second a million). */
export function flowColumns(reader: Reader): FlowColumns {
  const known = kept.get(reader);
  const { place, flows } = readChanges(reader, known?.place ?? null);
  const columns = known && flows ? known.columns : readAll(reader);
  if (known && flows) {
    readAgain(reader, columns, flows);
  }
  kept.set(reader, { columns, place });
  return columns;
}

function readAll(reader: Reader): FlowColumns {
  const { lowest, highest } = reader
    .prepare('SELECT coalesce(min(id), 1) AS lowest, coalesce(max(id), 0) AS highest FROM flow')
    .get() as { lowest: number; highest: number };
  const columns = createColumns(lowest, highest);
  for (const row of reader.prepare(select).raw().iterate() as Iterable<FlowRow>) {
    put(columns, row);
  }
  return columns;
}

function readAgain(reader: Reader, columns: FlowColumns, flows: ReadonlySet<number>): void {
  const find = reader.prepare(`${select} WHERE id = ?`).raw();
  for (const flow of flows) {
    const row = find.get(flow) as FlowRow | undefined;
    if (row) {
      makeRoom(columns, flow);
      put(columns, row);
    } else {
      remove(columns, flow);
    }
  }
}

function put(
  columns: FlowColumns,
  [id, source, destination, observers, dport, proto, ttl, threat, first, last]: FlowRow,
) {
  const at = id - columns.base;
  columns.length = Math.max(columns.length, at + 1);
  columns.source[at] = source;
  columns.destination[at] = destination;
  columns.observers[at] = observers;
  columns.app[at] = appNumberOf(dport, proto);
  columns.ttl[at] = ttl ?? -1;
  columns.firstSeconds[at] = Math.floor(first / 1000);
  columns.firstMs[at] = first % 1000;
  columns.lastSeconds[at] = Math.floor(last / 1000);
  columns.lastMs[at] = last % 1000;
  columns.edge[at] = 0;
  if (threat === null) {
    columns.threats.delete(id);
  } else {
    columns.threats.set(id, threat);
  }
}

function remove(columns: FlowColumns, id: number): void {
  const at = id - columns.base;
  if (at >= 0 && at < columns.length) {
    columns.lastSeconds[at] = 0;
    columns.threats.delete(id);
  }
}

function createColumns(lowest: number, highest: number): FlowColumns {
  const room = Math.ceil((highest - lowest + 1) * spare) + leastSpare;
  return {
    base: lowest,
    length: 0,
    source: new Uint32Array(room),
    destination: new Uint32Array(room),
    observers: new Uint32Array(room),
    app: new Uint8Array(room),
    ttl: new Int32Array(room),
    threats: new Map(),
    firstSeconds: new Uint32Array(room),
    firstMs: new Uint16Array(room),
    lastSeconds: new Uint32Array(room),
    lastMs: new Uint16Array(room),
    edge: new Uint32Array(room),
  };
}

/** Ids are given out upwards; one below `base` would only come back after all flows had gone. */
function makeRoom(columns: FlowColumns, id: number): void {
  const isBelow = id < columns.base;
  if (!isBelow && id - columns.base < columns.source.length) {
    return;
  }
  const { threats, length, base, ...old } = columns;
  const more = createColumns(Math.min(id, base), Math.max(id, base + length));
  const shift = base - more.base;
  for (const [name, values] of Object.entries(old) as [keyof typeof old, Uint32Array][]) {
    more[name].set(values.subarray(0, length), shift);
  }
  Object.assign(columns, more, { threats, length: length + shift });
}
