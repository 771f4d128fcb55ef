// Where the flows of each destination are kept, target after target.
import { stableOrder, startsOf } from '#kernel/columns/counting-order.ts';
import type { FlowStore } from './store.ts';

/** Flows to one destination at the places `start` up to, without, `end`. */
export interface FlowRun {
  /** By the numbers of the store. */
  destination: number;
  target: number;
  start: number;
  end: number;
}

type Places = Pick<FlowStore, 'sorted' | 'length' | 'starts' | 'laterDestination' | 'destinations'>;

/** All flows, those of one target after the other; `target` tells that of each destination, by number. */
export function* runsOf(store: Places, target: Uint32Array, targets: number): Generator<FlowRun, void, void> {
  const { sorted, length, starts, laterDestination } = store;
  const later = laterDestination.subarray(0, length - sorted);
  const laterOrder = stableOrder(later, target.length);
  const laterStarts = startsOf(later, target.length);
  for (const destination of stableOrder(target, targets)) {
    const run = { destination, target: target[destination] as number };
    if (destination + 1 < starts.length) {
      yield { ...run, start: starts[destination] as number, end: starts[destination + 1] as number };
    }
    for (let at = laterStarts[destination] as number; at < (laterStarts[destination + 1] as number); at += 1) {
      const place = sorted + (laterOrder[at] as number);
      yield { ...run, start: place, end: place + 1 };
    }
  }
}
