// A hash table from names to groups in one array that threads can share: open addressing over a text pool.
import { findStart, isSameText, type TextPool } from '#kernel/columns/text-pool.ts';
import { sharedUint32 } from '#kernel/columns/typed-array.ts';

export interface NameIndex {
  /** Pairs of text number and group; text 0: a free slot. Their number is a power of two, at least twice the names. */
  slots: Uint32Array;
}

/** An empty index with capacity for `names`. */
export function createNameIndex(names: number): NameIndex {
  let places = 16;
  while (places < names * 2) {
    places *= 2;
  }
  return { slots: sharedUint32(places * 2) };
}

/** Adds the name that is text `text` of `pool` as `group`, unless it exists; returns its group. All are of one pool. */
export function enterName({ slots }: NameIndex, pool: TextPool, text: number, group: number): number {
  const place = findPlace(slots, pool, pool, text);
  if (slots[place] !== 0) {
    return slots[place + 1] ?? 0;
  }
  slots[place] = text;
  slots[place + 1] = group;
  return group;
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

/** The group of the name that is text `text` of the pool `from`; -1 when it is not listed. */
export function findSameName({ slots }: NameIndex, pool: TextPool, from: TextPool, text: number): number {
  const place = findPlace(slots, pool, from, text);
  return slots[place] === 0 ? -1 : (slots[place + 1] ?? -1);
}

/** Where in `slots`, whose texts are of `pool`, a text of `from` is or would be. */
function findPlace(slots: Uint32Array, pool: TextPool, from: TextPool, text: number): number {
  const mask = slots.length / 2 - 1;
  let place = mixed(computeHash(from, text)) & mask;
  while (slots[place * 2] !== 0 && !isSameText(pool, slots[place * 2] ?? 0, from, text)) {
    place = (place + 1) & mask;
  }
  return place * 2;
}

function computeHash(pool: TextPool, text: number): number {
  const end = pool.ends[text] ?? 0;
  let hash = offset;
  for (let at = findStart(pool.ends, text); at < end; at += 1) {
    hash = step(hash, pool.bytes[at] ?? 0);
  }
  return hash;
}

function isSame(pool: TextPool, index: number, text: string, from: number): boolean {
  const start = findStart(pool.ends, index);
  const end = pool.ends[index] ?? 0;
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

/** FNV-1a. */
const offset = 0x811c9dc5;
const step = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193);
const mixed = (hash: number) => (hash ^ (hash >>> 15)) >>> 0;
