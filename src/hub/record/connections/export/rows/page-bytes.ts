// Pieces of text, one after the other, as bytes. To copy bytes is many times cheaper than to join strings.

/** Text that is written once is a string; text that comes again is bytes. */
export type Piece = string | Uint8Array;

const firstBytes = 262_144;

export class PageBytes {
  #bytes = Buffer.alloc(firstBytes);
  #length = 0;

  add(piece: Piece): void {
    // A UTF-16 unit becomes three bytes at most.
    this.#ensureRoom(piece.length * 3);
    if (typeof piece === 'string') {
      this.#length += this.#bytes.write(piece, this.#length);
    } else {
      this.#bytes.set(piece, this.#length);
      this.#length += piece.length;
    }
  }

  /** Returns what was added since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = Uint8Array.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #ensureRoom(bytes: number): void {
    if (this.#length + bytes > this.#bytes.length) {
      const grown = Buffer.alloc((this.#length + bytes) * 2);
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
  }
}
