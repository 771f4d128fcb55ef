// Ranges that follow each other, each with a number: which one holds an address. Typed arrays, no objects.
import { nextTurn } from '#kernel/clock.ts';

/** Ranges of IPv4: `starts` ascending from 0 on; each reaches to the next start. */
export interface Ipv4Ranges {
  find(value: number): number;
}

/** Ranges looked at before the event loop has its turn. */
const sliceRanges = 16_384;

export async function indexIpv4Ranges(starts: Uint32Array, values: Uint32Array): Promise<Ipv4Ranges> {
  const roots = await rootsOf(starts);
  return {
    find(value) {
      const half = value >>> 16;
      let low = roots[half] ?? 0;
      let high = roots[half + 1] ?? 0;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if ((starts[middle] ?? 0) <= value) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return values[low] ?? 0;
    },
  };
}

/** For the first half of every address, the last range that begins at or before the first address with that half. */
async function rootsOf(starts: Uint32Array): Promise<Uint32Array> {
  const roots = new Uint32Array(65_537).fill(Math.max(0, starts.length - 1));
  let half = 0;
  for (let next = 1; next < starts.length; next += 1) {
    const start = starts[next] ?? 0;
    for (; half * 65_536 < start; half += 1) {
      roots[half] = next - 1;
    }
    if (next % sliceRanges === 0) {
      await nextTurn();
    }
  }
  return roots;
}

/** Ranges of IPv6 to the 64th bit, likewise; a start is a pair of numbers. */
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
