// Consecutive segments of the IPv4 address space: which one holds an address. A table by the upper half of the address
// narrows the binary search to a few steps.
import { upperBound } from './sorted-search.ts';

export interface Ipv4Segments {
  /** First address of each segment, ascending; a segment ends where the next one starts. */
  starts: Uint32Array;
  /** For each upper half of an address the first segment that starts in it or later; one entry more than halves. */
  roots: Uint32Array;
}

export const rootCount = 0x1_0001;
/** Segments between two yields: a fraction of a millisecond. */
const stepSegments = 16_384;

/** Fills `roots` from `starts`. It yields so that a caller can give way to other work. */
export function* fillRoots({ starts, roots }: Ipv4Segments): Generator<void, void, void> {
  let upper = 0;
  for (let segment = 0; segment < starts.length; segment += 1) {
    for (const start = starts[segment] as number; upper * 0x1_0000 <= start; upper += 1) {
      roots[upper] = segment;
    }
    if (segment % stepSegments === stepSegments - 1) {
      yield;
    }
  }
  roots.fill(starts.length, upper);
}

/** The segment that holds `address`; -1 when it lies before the first. */
export function findSegment({ starts, roots }: Ipv4Segments, address: number): number {
  const upper = address >>> 16;
  return upperBound(starts, address, roots[upper], roots[upper + 1]) - 1;
}
