// Flows column by column in typed arrays: what a summary counts over.
import { freeBuffer, withCapacity } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { appNumberOf } from '../app-guess.ts';

/** Each flow has one place in all of them; one that was last seen at 0 has gone. 23 bytes a flow. */
export interface FlowColumns {
  source: Uint32Array;
  /** Its observer set. */
  observers: Uint16Array;
  /** A place in `apps`, and `hasThreat` for the few flows that are not safe. */
  app: Uint8Array;
  /** -1 where unknown. */
  ttl: Int32Array;
  /** Instants as whole seconds since the epoch, and milliseconds beyond. */
  firstSeconds: Uint32Array;
  firstMs: Uint16Array;
  lastSeconds: Uint32Array;
  lastMs: Uint16Array;
}

export const hasThreat = 128;
const maxObserverSet = 65_535;

export function createColumns(room: number): FlowColumns {
  return {
    source: new Uint32Array(room),
    observers: new Uint16Array(room),
    app: new Uint8Array(room),
    ttl: new Int32Array(room),
    firstSeconds: new Uint32Array(room),
    firstMs: new Uint16Array(room),
    lastSeconds: new Uint32Array(room),
    lastMs: new Uint16Array(room),
  };
}

export type FlowRow = [
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

/** Where a row has its verdict. */
export const threatAt = 7 satisfies keyof FlowRow & number;

const select = `SELECT id, source_id, destination_id, observer_set_id, dport, proto, ttl, threat_id, first_seen, last_seen
  FROM flow`;

/** Every flow by ascending id. */
export function readFlows(reader: Reader): Iterable<FlowRow> {
  return reader.prepare(select).raw().iterate() as Iterable<FlowRow>;
}

/** A function that reads one flow by its id. */
export function flowFinder(reader: Reader): (id: number) => FlowRow | undefined {
  const find = reader.prepare(`${select} WHERE id = ?`).raw();
  return (id) => find.get(id) as FlowRow | undefined;
}

export function putFlow(columns: FlowColumns, place: number, row: FlowRow): void {
  const [, source, , observers, dport, proto, ttl, threat, first, last] = row;
  if (observers > maxObserverSet) {
    throw new RangeError(`more than ${maxObserverSet} sets of observers`);
  }
  columns.source[place] = source;
  columns.observers[place] = observers;
  columns.app[place] = appNumberOf(dport, proto) | (threat === null ? 0 : hasThreat);
  columns.ttl[place] = ttl ?? -1;
  columns.firstSeconds[place] = Math.floor(first / 1000);
  columns.firstMs[place] = first % 1000;
  columns.lastSeconds[place] = Math.floor(last / 1000);
  columns.lastMs[place] = last % 1000;
}

/** Nothing was last seen there. */
export function removeFlow(columns: FlowColumns, place: number): void {
  columns.lastSeconds[place] = 0;
  columns.lastMs[place] = 0;
}

/** The same flows in another order, column by column: only one column is there twice at a time, and the old one is freed. */
export function reorderColumns(columns: FlowColumns, order: Uint32Array, room: number): void {
  for (const [name, values] of Object.entries(columns) as [keyof FlowColumns, Uint32Array<ArrayBuffer>][]) {
    const ordered = new (values.constructor as Uint32ArrayConstructor)(room);
    for (let place = 0; place < order.length; place += 1) {
      ordered[place] = values[order[place] as number] as number;
    }
    columns[name] = ordered as never;
    freeBuffer(values);
  }
}

/** Makes room, when there is too little, for `count` flows and some to come. */
export function growColumns(columns: FlowColumns, count: number): void {
  if (count <= columns.source.length) {
    return;
  }
  for (const [name, values] of Object.entries(columns) as [keyof FlowColumns, Uint32Array<ArrayBuffer>][]) {
    columns[name] = withCapacity(values, Math.ceil(count * 1.25)) as never;
  }
}
