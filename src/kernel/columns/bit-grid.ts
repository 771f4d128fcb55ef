// A bit matrix: which pairs of a row and a column occurred.

export class BitGrid {
  #words: Uint32Array;
  #wordsOfRow: number;

  constructor(rows: number, columns: number) {
    this.#wordsOfRow = Math.ceil(columns / 32);
    this.#words = new Uint32Array(rows * this.#wordsOfRow);
  }

  add(row: number, column: number): void {
    const at = row * this.#wordsOfRow + (column >> 5);
    this.#words[at] = (this.#words[at] as number) | (1 << (column & 31));
  }

  count(row: number): number {
    let count = 0;
    for (let at = row * this.#wordsOfRow; at < (row + 1) * this.#wordsOfRow; at += 1) {
      for (let word = this.#words[at] as number; word !== 0; word &= word - 1) {
        count += 1;
      }
    }
    return count;
  }

  has(row: number, column: number): boolean {
    const word = this.#words[row * this.#wordsOfRow + (column >> 5)] as number;
    return (word & (1 << (column & 31))) !== 0;
  }
}
