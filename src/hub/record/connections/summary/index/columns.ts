// Flows as columns of typed arrays.
import { freeBuffer, withCapacity } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { guessApp } from '../app-guess.ts';

/** A flow has the same row in each of them; a last sighting of 0 marks a deleted one. 23 bytes a flow. */
export type FlowColumns = ReturnType<typeof createColumns>;

export const hasThreat = 128;
const maxObserverSet = 65_535;

export function createColumns(capacity: number) {
  return {
    source: new Uint32Array(capacity),
    /** Id of the set of observers that saw the flow. */
    observers: new Uint16Array(capacity),
    /** Index in `apps`, with `hasThreat` set for flows that are not safe. */
    app: new Uint8Array(capacity),
    /** Remaining lifetime in seconds when the flow was last seen; -1 when the router did not say it. */
    ttl: new Int32Array(capacity),
    /** Instants as seconds since the epoch, and the milliseconds of that second. */
    firstSeconds: new Uint32Array(capacity),
    firstMs: new Uint16Array(capacity),
    lastSeconds: new Uint32Array(capacity),
    lastMs: new Uint16Array(capacity),
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

/** Index of the verdict in a `FlowRow`. */
export const threatAt = 7 satisfies keyof FlowRow & number;

const select = `SELECT id, source_id, destination_id, observer_set_id, dport, proto, ttl, threat_id, first_seen, last_seen
  FROM flow`;

/** Every flow by ascending id. */
export function readFlows(reader: Reader): Iterable<FlowRow> {
  return reader.prepare(select).raw().iterate() as Iterable<FlowRow>;
}

/** Returns a function that reads one flow by its id. */
export function createFlowFinder(reader: Reader): (id: number) => FlowRow | undefined {
  const find = reader.prepare(`${select} WHERE id = ?`).raw();
  return (id) => find.get(id) as FlowRow | undefined;
}

export function putFlow(columns: FlowColumns, row: number, flow: FlowRow): void {
  const [, source, , observers, dport, proto, ttl, threat, first, last] = flow;
  if (observers > maxObserverSet) {
    throw new RangeError(`more than ${maxObserverSet} sets of observers`);
  }
  columns.source[row] = source;
  columns.observers[row] = observers;
  columns.app[row] = guessApp(dport, proto) | (threat === null ? 0 : hasThreat);
  columns.ttl[row] = ttl ?? -1;
  columns.firstSeconds[row] = Math.floor(first / 1000);
  columns.firstMs[row] = first % 1000;
  columns.lastSeconds[row] = Math.floor(last / 1000);
  columns.lastMs[row] = last % 1000;
}

/** Marks the flow of a row as deleted. */
export function removeFlow(columns: FlowColumns, row: number): void {
  columns.lastSeconds[row] = 0;
  columns.lastMs[row] = 0;
}

/** Reorders the rows column by column: one column at a time is in memory twice, and the old one is freed. */
export function reorderColumns(columns: FlowColumns, order: Uint32Array, capacity: number): void {
  for (const [name, values] of Object.entries(columns) as [keyof FlowColumns, Uint32Array<ArrayBuffer>][]) {
    const ordered = new (values.constructor as Uint32ArrayConstructor)(capacity);
    for (let row = 0; row < order.length; row += 1) {
      ordered[row] = values[order[row] as number] as number;
    }
    columns[name] = ordered as never;
    freeBuffer(values);
  }
}

/** Ensures a capacity of at least `count` rows. */
export function growColumns(columns: FlowColumns, count: number): void {
  if (count <= columns.source.length) {
    return;
  }
  for (const [name, values] of Object.entries(columns) as [keyof FlowColumns, Uint32Array<ArrayBuffer>][]) {
    columns[name] = withCapacity(values, Math.ceil(count * 1.25)) as never;
  }
}
