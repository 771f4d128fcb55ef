// One bit for each pair of a row and a column: which pairs occurred.

export class BitGrid {
  #words: Uint32Array;
  #wordsOfRow: number;

  constructor(rows: number, columns: number) {
    this.#wordsOfRow = Math.ceil(columns / 32);
    this.#words = new Uint32Array(rows * this.#wordsOfRow);
  }

  /** Whether the pair is new. */
  add(row: number, column: number): boolean {
    const at = row * this.#wordsOfRow + (column >> 5);
    const known = this.#words[at] as number;
    const bit = 1 << (column & 31);
    if ((known & bit) !== 0) {
      return false;
    }
    this.#words[at] = known | bit;
    return true;
  }

  has(row: number, column: number): boolean {
    const word = this.#words[row * this.#wordsOfRow + (column >> 5)] as number;
    return (word & (1 << (column & 31))) !== 0;
  }
}
