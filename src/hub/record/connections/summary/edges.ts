// Aggregates of edges (source, target) that can be among the largest.
import { LargestCounts } from '#kernel/columns/top-k.ts';
import { withCapacity } from '#kernel/columns/typed-array.ts';
import { GroupAggregates } from './aggregates.ts';

export class EdgeAggregates {
  /** Stored edges; their numbers are 0 … count - 1. */
  count = 0;
  readonly aggregates = new GroupAggregates(1024);
  /** Highest severity of the edges that have any. */
  readonly mostSevere = new Map<number, number>();
  readonly #largest: LargestCounts;
  #source = new Uint32Array(1024);
  #target = new Uint32Array(1024);

  /** The `shown` edges with the most flows are wanted. */
  constructor(shown: number) {
    this.#largest = new LargestCounts(shown);
  }

  /** Adds an edge, once, with its `flows`, group `from` of other aggregates, and the rank of its worst verdict. */
  add(
    source: number,
    target: number,
    flows: number,
    others: GroupAggregates,
    from: number,
    rank: number | undefined,
  ): void {
    if (flows < this.#largest.least) {
      return;
    }
    this.#largest.add(flows);
    if (this.count === this.#source.length) {
      this.#source = withCapacity(this.#source, this.count * 2);
      this.#target = withCapacity(this.#target, this.count * 2);
    }
    this.#source[this.count] = source;
    this.#target[this.count] = target;
    this.aggregates.addAll(this.count, others, from);
    if (rank !== undefined) {
      this.mostSevere.set(this.count, rank);
    }
    this.count += 1;
  }

  source(edge: number): number {
    return this.#source[edge] as number;
  }

  target(edge: number): number {
    return this.#target[edge] as number;
  }
}
