// Many short texts in two typed arrays, each made a string when it is first asked for.

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
  const made = new Map<number, string>();
  return {
    length: lengths.length,
    word(number) {
      if (number < 1 || number > lengths.length) {
        return null;
      }
      const known = made.get(number);
      if (known !== undefined) {
        return known;
      }
      const word = bytes.toString('utf8', ends[number - 1], ends[number]);
      made.set(number, word);
      return word;
    },
  };
}
