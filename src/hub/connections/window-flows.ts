// Which flows a summary counts: those of a window, of some observers, of one source.
import type { FlowColumns } from './flow-columns.ts';

export interface FlowChoice {
  /** Both inclusive; absent: open. */
  from: number | undefined;
  to: number | undefined;
  /** Ids of observer sets; `null`: any. */
  observers: ReadonlySet<number> | null;
  /** Id of a source; `null`: any. */
  source: number | null;
}

/** What is known of a flow at each place of the columns. */
export const isLeftOut = 0;
export const isCounted = 1;
/** It was there before the window and after it: counted when one of its hours reaches into the window. */
export const isOpen = 2;

export interface WindowFlows {
  states: Uint8Array;
  /** First and last sighting of the flows that are counted for sure. */
  firstSeen: number;
  lastSeen: number;
}

/** The rule of `matching` (filter.ts), over the columns. */
export function flowsOfWindow(columns: FlowColumns, choice: FlowChoice): WindowFlows {
  const from = choice.from ?? 0;
  const to = choice.to ?? Number.POSITIVE_INFINITY;
  const isBounded = choice.from !== undefined && choice.to !== undefined;
  const { length, source, observers, firstSeconds, firstMs, lastSeconds, lastMs } = columns;
  const states = new Uint8Array(length);
  let firstSeen = Number.POSITIVE_INFINITY;
  let lastSeen = 0;
  for (let at = 0; at < length && from <= to; at += 1) {
    if (lastSeconds[at] === 0 || (choice.source !== null && source[at] !== choice.source)) {
      continue;
    }
    const first = (firstSeconds[at] as number) * 1000 + (firstMs[at] as number);
    const last = (lastSeconds[at] as number) * 1000 + (lastMs[at] as number);
    if (first > to || last < from || (choice.observers && !choice.observers.has(observers[at] as number))) {
      continue;
    }
    if (isBounded && first < from && last > to) {
      states[at] = isOpen;
      continue;
    }
    states[at] = isCounted;
    firstSeen = first < firstSeen ? first : firstSeen;
    lastSeen = last > lastSeen ? last : lastSeen;
  }
  return { states, firstSeen, lastSeen };
}
