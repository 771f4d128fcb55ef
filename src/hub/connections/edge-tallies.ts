// Tallies of edges, a source with a target each, in the order in which they were counted.
import { Tallies } from './tallies.ts';

export class EdgeTallies {
  /** Edges so far; their numbers are 0 … count - 1. */
  count = 0;
  readonly tallies: Tallies;
  #source: Uint32Array<ArrayBuffer>;
  #target: Uint32Array<ArrayBuffer>;

  /** With room for as many as are expected. */
  constructor(expected: number) {
    this.tallies = new Tallies(expected);
    this.#source = new Uint32Array(expected);
    this.#target = new Uint32Array(expected);
  }

  /** A new edge with all of group `from` of other tallies. */
  add(source: number, target: number, others: Tallies, from: number): void {
    if (this.count === this.#source.length) {
      this.#source = doubled(this.#source);
      this.#target = doubled(this.#target);
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

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(values.length * 2);
  more.set(values);
  return more;
}
