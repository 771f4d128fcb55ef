// Every flow of the log with its hours, in memory: what summaries are counted from, in the thread that answers them.
import { stableOrder, startsOf } from '#kernel/columns/counting-order.ts';
import { freeBuffer } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { hourOf } from '#kernel/time.ts';
import { readChanges } from '../../store/change-log.ts';
import { hoursWithin, readHourRows } from '../../store/hour-rows.ts';
import { takeUp } from './apply-changes.ts';
import { createColumns, type FlowColumns, putFlow, readFlows, reorderColumns, threatAt } from './columns.ts';
import { LooseHours, type LooseRows } from './delta-hours.ts';
import { type FlowHours, readFlowHours } from './hours.ts';
import { Numbering } from './interner.ts';
import { PlaceTable } from './row-ids.ts';

/**
 * Flows by place. The first `sorted` are ordered by destination, destinations by what they were called then, and flows to
 * one destination by source: what is counted together lies together. Those that came later follow as they came.
 */
export interface FlowStore {
  columns: FlowColumns;
  sorted: number;
  length: number;
  /** Numbers of destinations: in the order of the sorted flows, then as they came. */
  destinations: Numbering;
  /** Where the sorted flows of each destination begin, by number; one entry more than they had then. */
  starts: Uint32Array;
  /** Destinations of the flows that came later, by number. */
  laterDestination: Uint32Array<ArrayBuffer>;
  /** Verdicts by place. */
  threats: Map<number, number>;
  places: PlaceTable;
  /** Of the sorted flows. */
  hours: FlowHours;
  /** Rows that replace those of `hours`, or are not there. */
  loose: LooseHours;
  looseRows: LooseRows;
}

/** Room for flows that come later, at first. */
const leastLater = 4096;

const kept = new WeakMap<Reader, { store: FlowStore; place: number }>();

/**
 * The flows as `reader` sees the log now. At first, and when much has changed, it reads all (2 s a million), and orders
 * them by what `targets` calls each destination now.
 */
export function flowStore(reader: Reader, targets: Uint32Array): FlowStore {
  const known = kept.get(reader);
  const { place, changes } = readChanges(reader, known?.place ?? null);
  const store = (known && changes && takeUp(reader, known.store, changes)) || readAll(reader, targets);
  kept.set(reader, { store, place });
  return store;
}

/** Flows that the calling thread keeps in memory; 0 until it has answered a summary. */
export function keptFlows(reader: Reader): { hotEntries: number } {
  return { hotEntries: kept.get(reader)?.store.length ?? 0 };
}

function readAll(reader: Reader, targets: Uint32Array): FlowStore {
  const count = reader.prepare('SELECT count(*) FROM flow').pluck().get() as number;
  const newest = reader.prepare('SELECT max(last_seen) FROM flow').pluck().get() as number | null;
  const columns = createColumns(count);
  const [ids, destination] = [new Uint32Array(count), new Uint32Array(count)];
  const verdicts = new Map<number, number>();
  let length = 0;
  for (const row of readFlows(reader)) {
    putFlow(columns, length, row);
    [ids[length], , destination[length]] = row;
    if (row[threatAt] !== null) {
      verdicts.set(row[0], row[threatAt]);
    }
    length += 1;
  }
  const destinations = numbered(destination, targets);
  const bySource = stableOrder(columns.source, highest(columns.source) + 1);
  const order = stableOrder(destination, destinations.count, bySource);
  reorderColumns(columns, order, count + leastLater);
  const places = new PlaceTable();
  for (let at = 0; at < count; at += 1) {
    places.set(ids[order[at] as number] as number, at);
  }
  const placeOf = (flow: number) => places.of(flow);
  const endHour = newest === null ? 0 : hourOf(newest);
  const hours = readFlowHours(reader, count, placeOf, endHour);
  const loose = new LooseHours();
  for (const hour of [...hoursBefore(reader, hours.firstHour), ...hoursWithin(reader, endHour, lastHour)]) {
    loose.replaceHour(hour, (rows) => readHourRows(reader, hour, rows));
  }
  const starts = startsOf(destination, destinations.count);
  for (const needless of [ids, destination, bySource, order]) {
    freeBuffer(needless);
  }
  return {
    columns,
    sorted: count,
    length: count,
    destinations,
    starts,
    laterDestination: new Uint32Array(leastLater),
    threats: new Map([...verdicts].map(([flow, threat]) => [placeOf(flow), threat])),
    places,
    hours,
    loose,
    looseRows: loose.ordered(placeOf),
  };
}

/** Numbers the destinations of flows, one target after the other, and puts the numbers in place of their ids. */
function numbered(destinations: Uint32Array, targets: Uint32Array): Numbering {
  const ids = Uint32Array.from(new Set(destinations)).sort();
  const target = ids.map((id) => targets[id] ?? 0);
  const numbering = new Numbering();
  for (const at of stableOrder(target, highest(target) + 1)) {
    numbering.numberOf(ids[at] as number);
  }
  for (let at = 0; at < destinations.length; at += 1) {
    destinations[at] = numbering.numberOf(destinations[at] as number);
  }
  return numbering;
}

const lastHour = 2 ** 31;

function hoursBefore(reader: Reader, hour: number): number[] {
  return hoursWithin(reader, -lastHour, hour - 1);
}

function highest(numbers: Uint32Array): number {
  let most = 0;
  for (const number of numbers) {
    most = number > most ? number : most;
  }
  return most;
}
