// A hash table from names to groups in one array that threads can share: open addressing over a text pool.
import { findStart, isSameText, type TextPool } from '#kernel/columns/text-pool.ts';
import { sharedUint32 } from '#kernel/columns/typed-array.ts';

export interface NameIndex {
  /**
   * A slot is a text index, 0 when it is free, and a group. The number of slots is a power of two. At least half are
   * free: a search for a missing name ends only at a free slot.
   */
  slots: Uint32Array;
}

/** Creates an empty index for at most `maxNames`. */
export function createNameIndex(maxNames: number): NameIndex {
  let slotCount = 16;
  while (slotCount < maxNames * 2) {
    slotCount *= 2;
  }
  return { slots: sharedUint32(slotCount * 2) };
}

/** Adds a name of `pool`, the pool of all names of the index, unless it is there already. Returns its group. */
export function enterName({ slots }: NameIndex, pool: TextPool, textIndex: number, group: number): number {
  const offset = findSlotOffset(slots, pool, pool, textIndex);
  if (slots[offset] !== 0) {
    return slots[offset + 1] ?? 0;
  }
  slots[offset] = textIndex;
  slots[offset + 1] = group;
  return group;
}

/** Returns the group of the name in `text` from character `start` on, or -1. The name must be ASCII. */
export function findName({ slots }: NameIndex, pool: TextPool, text: string, start: number): number {
  const mask = slots.length / 2 - 1;
  let hash = fnvOffsetBasis;
  for (let at = start; at < text.length; at += 1) {
    hash = addByte(hash, text.charCodeAt(at));
  }
  for (let slot = foldHash(hash) & mask; ; slot = (slot + 1) & mask) {
    const textIndex = slots[slot * 2] ?? 0;
    if (textIndex === 0) {
      return -1;
    }
    if (isSameName(pool, textIndex, text, start)) {
      return slots[slot * 2 + 1] ?? -1;
    }
  }
}

/** Returns the group of the name at `textIndex` of `otherPool`, or -1. The names of the index lie in `pool`. */
export function findSameName({ slots }: NameIndex, pool: TextPool, otherPool: TextPool, textIndex: number): number {
  const offset = findSlotOffset(slots, pool, otherPool, textIndex);
  return slots[offset] === 0 ? -1 : (slots[offset + 1] ?? -1);
}

/** Returns where in `slots` the name at `textIndex` of `otherPool` is, or the free slot where it belongs. */
function findSlotOffset(slots: Uint32Array, pool: TextPool, otherPool: TextPool, textIndex: number): number {
  const mask = slots.length / 2 - 1;
  let slot = foldHash(computeHash(otherPool, textIndex)) & mask;
  while (slots[slot * 2] !== 0 && !isSameText(pool, slots[slot * 2] ?? 0, otherPool, textIndex)) {
    slot = (slot + 1) & mask;
  }
  return slot * 2;
}

function computeHash(pool: TextPool, textIndex: number): number {
  const end = pool.ends[textIndex] ?? 0;
  let hash = fnvOffsetBasis;
  for (let at = findStart(pool.ends, textIndex); at < end; at += 1) {
    hash = addByte(hash, pool.bytes[at] ?? 0);
  }
  return hash;
}

function isSameName(pool: TextPool, textIndex: number, text: string, start: number): boolean {
  const poolStart = findStart(pool.ends, textIndex);
  const length = (pool.ends[textIndex] ?? 0) - poolStart;
  if (length !== text.length - start) {
    return false;
  }
  for (let at = 0; at < length; at += 1) {
    if (pool.bytes[poolStart + at] !== text.charCodeAt(start + at)) {
      return false;
    }
  }
  return true;
}

// 32-bit FNV-1a, with the high bits folded into the low ones, which choose the slot.
const fnvOffsetBasis = 0x811c9dc5;
const addByte = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193);
const foldHash = (hash: number) => (hash ^ (hash >>> 15)) >>> 0;
