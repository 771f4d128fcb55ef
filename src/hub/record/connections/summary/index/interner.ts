// Numbers ids 0, 1, 2, … in the order in which they are first seen.
import { withCapacity } from '#kernel/columns/typed-array.ts';
import { RowIdMap } from './row-id-map.ts';

export class Interner {
  count = 0;
  #ids = new Uint32Array(1024);
  readonly #numbers = new RowIdMap();

  /** Ids by number. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.count);
  }

  /** The number of `id`, assigned on first sight. */
  intern(id: number): number {
    const known = this.#numbers.get(id);
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
