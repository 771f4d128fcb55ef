// Consecutive address ranges, each with a value, in typed arrays.

import { fillRoots, findSegment, rootCount } from '#kernel/columns/ipv4-segments.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';

export async function indexIpv4Ranges(starts: Uint32Array, values: Uint32Array) {
  const segments = { starts, roots: new Uint32Array(rootCount) };
  for (const _ of fillRoots(segments)) {
    await yieldToEventLoop();
  }
  return { find: (value: number) => values[findSegment(segments, value)] ?? 0 };
}

export function createIpv6Ranges(highs: Uint32Array, lows: Uint32Array, values: Uint32Array) {
  return {
    find(high: number, low: number) {
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
