// The rows of each destination, target after target.
import { findStarts, stableOrder } from '#kernel/columns/counting-order.ts';
import type { FlowStore } from './type.ts';

/** Flows to one destination in the rows `start` up to, excluding, `end`. */
export interface FlowRun {
  /** The number of the store. */
  destination: number;
  target: number;
  start: number;
  end: number;
}

type Rows = Pick<FlowStore, 'mainLength' | 'length' | 'starts' | 'deltaDestination' | 'destinations'>;

/** Yields all flows, grouped by target; `target` holds the target of each destination, by number. */
export function* walkRuns(store: Rows, target: Uint32Array, targets: number): Generator<FlowRun, void, void> {
  const { mainLength, length, starts, deltaDestination } = store;
  const delta = deltaDestination.subarray(0, length - mainLength);
  const deltaOrder = stableOrder(delta, target.length);
  const deltaStarts = findStarts(delta, target.length);
  for (const destination of stableOrder(target, targets)) {
    const run = { destination, target: target[destination] as number };
    if (destination + 1 < starts.length) {
      yield { ...run, start: starts[destination] as number, end: starts[destination + 1] as number };
    }
    for (let at = deltaStarts[destination] as number; at < (deltaStarts[destination + 1] as number); at += 1) {
      const row = mainLength + (deltaOrder[at] as number);
      yield { ...run, start: row, end: row + 1 };
    }
  }
}

/** Yields the rows of the destinations that `isWanted` by id, or all when it is null; in no order. */
export function* walkRowsTo(
  store: Rows,
  isWanted: ((destination: number) => boolean) | null,
): Generator<Pick<FlowRun, 'start' | 'end'>, void, void> {
  const { mainLength, length, starts, deltaDestination, destinations } = store;
  if (isWanted === null) {
    yield { start: 0, end: length };
    return;
  }
  const wanted = destinations.ids.map((id) => (isWanted(id) ? 1 : 0));
  for (let destination = 0; destination + 1 < starts.length; destination += 1) {
    if (wanted[destination] === 1) {
      yield { start: starts[destination] as number, end: starts[destination + 1] as number };
    }
  }
  for (let row = mainLength; row < length; row += 1) {
    if (wanted[deltaDestination[row - mainLength] as number] === 1) {
      yield { start: row, end: row + 1 };
    }
  }
}
