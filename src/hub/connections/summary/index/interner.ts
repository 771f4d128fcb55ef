// Numbers ids in the order in which they are named.
import { withCapacity } from '#kernel/columns/typed-array.ts';
import { PlaceTable } from './row-ids.ts';

export class Numbering {
  count = 0;
  #ids = new Uint32Array(1024);
  readonly #numbers = new PlaceTable();

  /** Ids by number. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.count);
  }

  /** The number of `id`, given out on first sight. */
  numberOf(id: number): number {
    const known = this.#numbers.of(id);
    if (known >= 0) {
      return known;
    }
    const number = this.count;
    if (number === this.#ids.length) {
      this.#ids = withCapacity(this.#ids, number * 2);
    }
    this.#ids[number] = id;
    this.#numbers.set(id, number);
    this.count += 1;
    return number;
  }
}
