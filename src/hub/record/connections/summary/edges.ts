// Aggregates of edges, each of a source and a target. Edges with too few flows to be shown are skipped.
import { LargestCounts } from '#kernel/columns/top-k.ts';
import { withCapacity } from '#kernel/columns/typed-array.ts';
import { GroupAggregates } from './aggregates.ts';

export class EdgeAggregates {
  /** Number of stored edges. They are numbered from 0 to `count` - 1. */
  count = 0;
  readonly aggregates = new GroupAggregates(1024);
  /** Rank of the worst verdict of an edge, 0 for the most severe; safe edges have none. */
  readonly mostSevere = new Map<number, number>();
  readonly #largestFlows: LargestCounts;
  #source = new Uint32Array(1024);
  #target = new Uint32Array(1024);

  /** Stores at least the `limit` edges with the most flows. */
  constructor(limit: number) {
    this.#largestFlows = new LargestCounts(limit);
  }

  /** Adds an edge, which must be new. `flows` is the count of group `from` in `others`, whose aggregates are copied. */
  add(
    source: number,
    target: number,
    flows: number,
    others: GroupAggregates,
    from: number,
    rank: number | undefined,
  ): void {
    if (flows < this.#largestFlows.least) {
      return;
    }
    this.#largestFlows.add(flows);
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
