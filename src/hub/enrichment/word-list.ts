// Many short texts in two typed arrays, each made a string only when asked for.

export interface WordList {
  readonly length: number;
  /** The word of that number; `null` for 0, which stands for none, and for numbers beyond the end. */
  word(number: number): string | null;
}

/** `text` holds the words one after another in UTF-8; `lengths` the bytes of each, the first being word 1. */
export function createWordList(text: Uint8Array, lengths: Uint32Array): WordList {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const ends = new Uint32Array(lengths.length + 1);
  for (let index = 0; index < lengths.length; index += 1) {
    ends[index + 1] = (ends[index] ?? 0) + (lengths[index] ?? 0);
  }
  return {
    length: lengths.length,
    word: (number) =>
      number >= 1 && number <= lengths.length ? bytes.toString('utf8', ends[number - 1], ends[number]) : null,
  };
}
