// Bits that a disk returns wrong.

/** `bytes` with one bit flipped. */
export function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << bit);
  return changed;
}

export function flippedSomewhere(bytes: Buffer, random: () => number): Buffer {
  return flipped(bytes, Math.floor(random() * bytes.length), Math.floor(random() * 8));
}
