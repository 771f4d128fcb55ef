// Consecutive address ranges, each with a value, in typed arrays.

import { fillRoots, findSegment, rootCount } from '#kernel/columns/ipv4-segments.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';

/** Ranges of IPv4: `starts` ascending from 0 on; each reaches to the next start. */
export interface Ipv4Ranges {
  find(value: number): number;
}

export async function indexIpv4Ranges(starts: Uint32Array, values: Uint32Array): Promise<Ipv4Ranges> {
  const segments = { starts, roots: new Uint32Array(rootCount) };
  for (const _ of fillRoots(segments)) {
    await yieldToEventLoop();
  }
  return { find: (value) => values[findSegment(segments, value)] ?? 0 };
}

/** Ranges of the first 64 bits of IPv6; a start is a pair of numbers. */
export interface Ipv6Ranges {
  find(high: number, low: number): number;
}

export function createIpv6Ranges(highs: Uint32Array, lows: Uint32Array, values: Uint32Array): Ipv6Ranges {
  return {
    find(high, low) {
      let from = 0;
      let to = highs.length - 1;
      while (from < to) {
        const middle = (from + to + 1) >>> 1;
        const start = highs[middle] ?? 0;
        if (start < high || (start === high && (lows[middle] ?? 0) <= low)) {
          from = middle;
        } else {
          to = middle - 1;
        }
      }
      return values[from] ?? 0;
    },
  };
}
