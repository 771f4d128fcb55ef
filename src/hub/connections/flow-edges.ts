// Numbers of edges, a source with a target each: a flow is given its edge once, not in every summary.
import type { FlowColumns } from './flow-columns.ts';
import { PairTable } from './pair-table.ts';
import type { DestinationWords } from './summary-words.ts';

interface Numbered {
  /** Sources with targets; the number of an edge is that of its pair. */
  pairs: PairTable;
  /** With which the flows were numbered. */
  words: DestinationWords;
}

const kept = new WeakMap<FlowColumns, Numbered>();

/** The edges of flows, as `columns.edge` (number plus one) names them. Flows whose target has another name now lose theirs. */
export function flowEdges(columns: FlowColumns, words: DestinationWords): PairTable {
  const known = kept.get(columns);
  const isSameNumbering = known?.words.targets === words.targets;
  const pairs = known && isSameNumbering ? known.pairs : new PairTable();
  if (known && isSameNumbering) {
    forgetMoved(columns, known.words.target, words.target);
  } else {
    columns.edge.fill(0);
  }
  kept.set(columns, { pairs, words });
  return pairs;
}

function forgetMoved({ length, destination, edge }: FlowColumns, before: Uint32Array, now: Uint32Array): void {
  if (before === now || before.every((target, id) => target === now[id])) {
    return;
  }
  for (let at = 0; at < length; at += 1) {
    const id = destination[at] as number;
    if (before[id] !== now[id]) {
      edge[at] = 0;
    }
  }
}
