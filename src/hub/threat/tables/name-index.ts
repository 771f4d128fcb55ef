// Names to numbers in one array that threads can share: open addressing over the bytes of a text pool.
import { sharedUint32, type TextPool } from './text-pool.ts';

export interface NameIndex {
  /** Twice the number of names and more, a power of two: text number and group number in turn; a text of 0 is a free place. */
  slots: Uint32Array;
}

/** `texts` and `groups` belong together, one by one. */
export function createNameIndex(pool: TextPool, texts: readonly number[], groups: readonly number[]): NameIndex {
  let places = 16;
  while (places < texts.length * 2) {
    places *= 2;
  }
  const slots = sharedUint32(places * 2);
  for (const [index, text] of texts.entries()) {
    const { start, end } = placeOf(pool, text);
    let hash = offset;
    for (let at = start; at < end; at += 1) {
      hash = step(hash, pool.bytes[at] ?? 0);
    }
    let place = mixed(hash) & (places - 1);
    while (slots[place * 2] !== 0) {
      place = (place + 1) & (places - 1);
    }
    slots[place * 2] = text;
    slots[place * 2 + 1] = groups[index] ?? 0;
  }
  return { slots };
}

/** The group of the name that `text` holds from `from` to its end; -1 when it is not listed. ASCII only. */
export function findName({ slots }: NameIndex, pool: TextPool, text: string, from: number): number {
  const mask = slots.length / 2 - 1;
  let hash = offset;
  for (let at = from; at < text.length; at += 1) {
    hash = step(hash, text.charCodeAt(at));
  }
  for (let place = mixed(hash) & mask; ; place = (place + 1) & mask) {
    const known = slots[place * 2] ?? 0;
    if (known === 0) {
      return -1;
    }
    if (isSame(pool, known, text, from)) {
      return slots[place * 2 + 1] ?? -1;
    }
  }
}

function isSame(pool: TextPool, index: number, text: string, from: number): boolean {
  const { start, end } = placeOf(pool, index);
  if (end - start !== text.length - from) {
    return false;
  }
  for (let at = start; at < end; at += 1) {
    if (pool.bytes[at] !== text.charCodeAt(from + at - start)) {
      return false;
    }
  }
  return true;
}

function placeOf({ ends }: TextPool, index: number): { start: number; end: number } {
  const end = ends[index] ?? 0;
  return { start: index === 0 ? 0 : (ends[index - 1] ?? 0), end };
}

/** FNV-1a. */
const offset = 0x811c9dc5;
const step = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193);
const mixed = (hash: number) => (hash ^ (hash >>> 15)) >>> 0;
