// Tallies of edges, a source with a target each: of those that may be among the ones that are shown.
import { LargestCounts } from '#kernel/columns/top-k.ts';
import { withCapacity } from '#kernel/columns/typed-array.ts';
import { Tallies } from './aggregates.ts';

export class EdgeTallies {
  /** Edges that are kept; their numbers are 0 … count - 1. */
  count = 0;
  readonly tallies = new Tallies(1024);
  readonly #largest: LargestCounts;
  #source = new Uint32Array(1024);
  #target = new Uint32Array(1024);

  /** The `shown` with the most flows will be asked for. */
  constructor(shown: number) {
    this.#largest = new LargestCounts(shown);
  }

  /** An edge, once, with its `flows` and all of group `from` of other tallies. */
  add(source: number, target: number, flows: number, others: Tallies, from: number): void {
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
    this.tallies.addAll(this.count, others, from);
    this.count += 1;
  }

  source(edge: number): number {
    return this.#source[edge] as number;
  }

  target(edge: number): number {
    return this.#target[edge] as number;
  }
}
