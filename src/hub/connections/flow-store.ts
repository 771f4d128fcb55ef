// Every flow of the log with its hours, in memory: what summaries are counted from, in the thread that answers them.
import type { Reader } from '#kernel/sqlite.ts';
import { type FlowChange, readChanges } from './flow-change.ts';
import {
  createColumns,
  type FlowColumns,
  type FlowRow,
  flowFinder,
  growColumns,
  grown,
  putFlow,
  readFlows,
  reorderColumns,
} from './flow-columns.ts';
import { type FlowHours, readFlowHours } from './flow-hours.ts';
import { hourOf } from './flow-merge.ts';
import { hourFinder, hoursWithin, readHourRows } from './hour-rows.ts';
import { LooseHours, type LooseRows } from './loose-hours.ts';
import { Numbering } from './numbering.ts';
import { PlaceTable } from './place-table.ts';
import { stableOrder, startsOf } from './stable-order.ts';

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
  laterDestination: Uint32Array;
  /** Verdicts by place. */
  threats: Map<number, number>;
  places: PlaceTable;
  /** Of the sorted flows. */
  hours: FlowHours;
  /** Rows that replace those of `hours`, or are not there. */
  loose: LooseHours;
  looseRows: LooseRows;
}

/** What may come after the sorted flows before all is read again: a share of them, and so many. */
const laterShare = 0.125;
const leastLater = 4096;
const leastLoose = 65_536;

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
  const order = stableOrder(destination, destinations.count, stableOrder(columns.source, highest(columns.source) + 1));
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
  return {
    columns,
    sorted: count,
    length: count,
    destinations,
    starts: startsOf(destination, destinations.count),
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

const threatAt = 7 satisfies keyof FlowRow & number;
const lastHour = 2 ** 31;

function hoursBefore(reader: Reader, hour: number): number[] {
  return hoursWithin(reader, -lastHour, hour - 1);
}

/** Brings the store up to date; `null` when to read everything is the better way. */
function takeUp(reader: Reader, store: FlowStore, changes: readonly FlowChange[]): FlowStore | null {
  const flows = new Set<number>();
  const { hours, loose } = store;
  const isWhole = (hour: number) => hour < hours.firstHour || hour >= hours.endHour;
  const changedHours = new Set<number>();
  const late = new Map<number, Set<number>>();
  const note = (hour: number, flow: number) => {
    if (isWhole(hour)) {
      changedHours.add(hour);
    } else {
      late.set(hour, (late.get(hour) ?? new Set()).add(flow));
    }
  };
  for (const { flows: changed, hour, rows } of changes) {
    for (const flow of changed) {
      flows.add(flow);
      if (hour !== null) {
        note(hour, flow);
      }
    }
    for (let at = 0; at < rows.length; at += 2) {
      note(rows[at] as number, rows[at + 1] as number);
    }
  }
  if (flows.size > store.sorted * laterShare + leastLoose) {
    return null;
  }
  const find = flowFinder(reader);
  for (const flow of flows) {
    putChanged(store, flow, find(flow));
  }
  for (const hour of changedHours) {
    loose.replaceHour(hour, (rows) => readHourRows(reader, hour, rows));
  }
  const findRow = hourFinder(reader);
  for (const [hour, touched] of late) {
    for (const flow of touched) {
      const row = findRow(hour, flow);
      if (row) {
        loose.replaceRow(hour, flow, row);
      }
    }
  }
  if (changes.length > 0) {
    store.looseRows = loose.ordered((flow) => store.places.of(flow));
  }
  const isWorn =
    store.length - store.sorted > store.sorted * laterShare + leastLater ||
    loose.count > hours.rows.length * laterShare + leastLoose;
  return isWorn ? null : store;
}

/** A flow as it is now; `undefined`: it has gone. The id of a flow that has gone may be another flow's now. */
function putChanged(store: FlowStore, flow: number, row: FlowRow | undefined): void {
  const { columns, places, threats } = store;
  const known = places.of(flow);
  const isKnown = known >= 0 && row !== undefined && isBetween(store, known, row[1], row[2]);
  if (known >= 0 && !isKnown) {
    columns.lastSeconds[known] = 0;
    threats.delete(known);
    places.set(flow, -1);
  }
  if (row === undefined) {
    return;
  }
  const place = isKnown ? known : addPlace(store, flow, row[2]);
  putFlow(columns, place, row);
  if (row[threatAt] === null) {
    threats.delete(place);
  } else {
    threats.set(place, row[threatAt]);
  }
}

/** Whether the flow at a place goes from this source to this destination. */
function isBetween(store: FlowStore, place: number, source: number, destination: number): boolean {
  const { starts, sorted, laterDestination, columns } = store;
  const number = store.destinations.numberOf(destination);
  const isTo =
    place < sorted
      ? place >= (starts[number] ?? sorted) && place < (starts[number + 1] ?? sorted)
      : laterDestination[place - sorted] === number;
  return isTo && columns.source[place] === source;
}

function addPlace(store: FlowStore, flow: number, destination: number): number {
  const place = store.length;
  const later = place - store.sorted;
  growColumns(store.columns, place + 1);
  if (later >= store.laterDestination.length) {
    store.laterDestination = grown(store.laterDestination, later + 1);
  }
  store.laterDestination[later] = store.destinations.numberOf(destination);
  store.places.set(flow, place);
  store.length += 1;
  return place;
}

function highest(numbers: Uint32Array): number {
  let most = 0;
  for (const number of numbers) {
    most = number > most ? number : most;
  }
  return most;
}
