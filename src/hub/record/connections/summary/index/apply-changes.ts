// Applies the change log to a flow store: new flows and changed hours go to the delta.
import { withCapacity } from '#kernel/columns/typed-array.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { FlowChange } from '../../store/change-log.ts';
import { createHourFinder, readHourRows } from '../../store/hour-rows.ts';
import { createFlowFinder, type FlowRow, growColumns, putFlow, removeFlow, threatAt } from './columns.ts';
import type { FlowHours } from './hours.ts';
import type { FlowStore } from './type.ts';

/** Changes may reach this share of the main part, plus a fixed number, before a rebuild. */
const deltaShare = 0.125;
const extraDeltaFlows = 4096;
const extraDeltaEntries = 65_536;
const extraLookups = 65_536;

/** Updates `store` in place and returns it. Returns `null` when a rebuild is cheaper: `store` must not be used then. */
export function applyChanges(reader: Reader, store: FlowStore, changes: readonly FlowChange[]): FlowStore | null {
  const { hours, deltaHours, rowIds } = store;
  const { flows, wholeHours, lateRows } = collectChanges(changes, hours);
  if (flows.size > store.mainLength * deltaShare + extraLookups) {
    return null;
  }
  const find = createFlowFinder(reader);
  for (const flow of flows) {
    putChanged(store, flow, find(flow));
  }
  for (const hour of wholeHours) {
    deltaHours.replaceHour(hour, (rows) => readHourRows(reader, hour, rows));
  }
  const findRow = createHourFinder(reader);
  for (const [hour, touched] of lateRows) {
    for (const flow of touched) {
      const row = findRow(hour, flow);
      if (row) {
        deltaHours.replaceRow(hour, flow, row);
      }
    }
  }
  if (changes.length > 0) {
    store.deltaEntries = deltaHours.listEntries((flow) => rowIds.get(flow));
  }
  const isFull =
    store.length - store.mainLength > store.mainLength * deltaShare + extraDeltaFlows ||
    deltaHours.count > hours.entries.length * deltaShare + extraDeltaEntries;
  return isFull ? null : store;
}

/** Collects what to read again: flows, hours outside the main part, and single rows of hours inside it. */
function collectChanges(changes: readonly FlowChange[], { firstHour, endHour }: FlowHours) {
  const flows = new Set<number>();
  const wholeHours = new Set<number>();
  const lateRows = new Map<number, Set<number>>();
  const add = (hour: number, flow: number) => {
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
        add(hour, flow);
      }
    }
    for (let at = 0; at < rows.length; at += 2) {
      add(rows[at] as number, rows[at + 1] as number);
    }
  }
  return { flows, wholeHours, lateRows };
}

/** Stores the current state of a flow; `undefined`: it was deleted. SQLite may give its id to another flow. */
function putChanged(store: FlowStore, flow: number, found: FlowRow | undefined): void {
  const { columns, rowIds, threats } = store;
  const known = rowIds.get(flow);
  if (found === undefined) {
    if (known >= 0) {
      removeFlow(columns, known);
      rowIds.set(flow, -1);
    }
    return;
  }
  const isSameFlow = known >= 0 && hasEnds(store, known, found[1], found[2]);
  if (known >= 0 && !isSameFlow) {
    removeFlow(columns, known);
  }
  const row = isSameFlow ? known : addRow(store, flow, found[2]);
  putFlow(columns, row, found);
  if (found[threatAt] !== null) {
    threats.set(row, found[threatAt]);
  }
}

/** Whether the flow of a row goes from this source to this destination. */
function hasEnds(store: FlowStore, row: number, source: number, destination: number): boolean {
  const { starts, mainLength, deltaDestination, columns } = store;
  const number = store.destinations.intern(destination);
  const hasDestination =
    row < mainLength
      ? row >= (starts[number] ?? mainLength) && row < (starts[number + 1] ?? mainLength)
      : deltaDestination[row - mainLength] === number;
  return hasDestination && columns.source[row] === source;
}

function addRow(store: FlowStore, flow: number, destination: number): number {
  const row = store.length;
  const delta = row - store.mainLength;
  growColumns(store.columns, row + 1);
  if (delta >= store.deltaDestination.length) {
    store.deltaDestination = withCapacity(store.deltaDestination, delta * 2);
  }
  store.deltaDestination[delta] = store.destinations.intern(destination);
  store.rowIds.set(flow, row);
  store.length += 1;
  return row;
}
