// Takes up what has changed since the flows were read: new flows behind the others, rows of hours loosely.
import { withCapacity } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite.ts';
import type { FlowChange } from '../../store/change-log.ts';
import { hourFinder, readHourRows } from '../../store/hour-rows.ts';
import { type FlowRow, flowFinder, growColumns, putFlow, removeFlow, threatAt } from './columns.ts';
import type { FlowHours } from './hours.ts';
import type { FlowStore } from './store.ts';

/** What may come after the sorted flows before all is read again: a share of them, and so many. */
const laterShare = 0.125;
const leastLater = 4096;
const leastLoose = 65_536;

/** Brings the store up to date; `null` when to read everything is the better way. */
export function takeUp(reader: Reader, store: FlowStore, changes: readonly FlowChange[]): FlowStore | null {
  const { hours, loose, places } = store;
  const { flows, wholeHours, lateRows } = gathered(changes, hours);
  if (flows.size > store.sorted * laterShare + leastLoose) {
    return null;
  }
  const find = flowFinder(reader);
  for (const flow of flows) {
    putChanged(store, flow, find(flow));
  }
  for (const hour of wholeHours) {
    loose.replaceHour(hour, (rows) => readHourRows(reader, hour, rows));
  }
  const findRow = hourFinder(reader);
  for (const [hour, touched] of lateRows) {
    for (const flow of touched) {
      const row = findRow(hour, flow);
      if (row) {
        loose.replaceRow(hour, flow, row);
      }
    }
  }
  if (changes.length > 0) {
    store.looseRows = loose.ordered((flow) => places.of(flow));
  }
  const isWorn =
    store.length - store.sorted > store.sorted * laterShare + leastLater ||
    loose.count > hours.rows.length * laterShare + leastLoose;
  return isWorn ? null : store;
}

/** What is to be read again: flows, hours that are not stored, and rows of hours that are. */
function gathered(changes: readonly FlowChange[], { firstHour, endHour }: FlowHours) {
  const flows = new Set<number>();
  const wholeHours = new Set<number>();
  const lateRows = new Map<number, Set<number>>();
  const note = (hour: number, flow: number) => {
    if (hour < firstHour || hour >= endHour) {
      wholeHours.add(hour);
    } else {
      lateRows.set(hour, (lateRows.get(hour) ?? new Set()).add(flow));
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
  return { flows, wholeHours, lateRows };
}

/** A flow as it is now; `undefined`: it has gone. The id of a flow that has gone may be another flow's now. */
function putChanged(store: FlowStore, flow: number, row: FlowRow | undefined): void {
  const { columns, places, threats } = store;
  const known = places.of(flow);
  const isKnown = known >= 0 && row !== undefined && isBetween(store, known, row[1], row[2]);
  if (known >= 0 && !isKnown) {
    removeFlow(columns, known);
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
    store.laterDestination = withCapacity(store.laterDestination, later * 2);
  }
  store.laterDestination[later] = store.destinations.numberOf(destination);
  store.places.set(flow, place);
  store.length += 1;
  return place;
}
