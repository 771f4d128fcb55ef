// A column of short texts: each is decoded when it is first asked for.
import { readText, type TextPool } from '#kernel/columns/text-pool.ts';

export type TextColumn = ReturnType<typeof createTextColumn>;

/** `bytes` holds the texts one after another in UTF-8; `lengths` the bytes of each, the first being text 1. */
export function createTextColumn(bytes: Uint8Array, lengths: Uint32Array) {
  const pool: TextPool = { bytes, ends: new Uint32Array(lengths.length + 1) };
  for (let index = 0; index < lengths.length; index += 1) {
    pool.ends[index + 1] = (pool.ends[index] ?? 0) + (lengths[index] ?? 0);
  }
  const decoded = new Map<number, string>();
  return {
    /** The text of that number; `null` for 0, which stands for none, and for numbers beyond the end. */
    text(number: number) {
      if (number < 1 || number > lengths.length) {
        return null;
      }
      const text = decoded.get(number) ?? readText(pool, number);
      decoded.set(number, text);
      return text;
    },
  };
}
