// An upper bound for the share of connections that another poll interval misses, whatever their lifetimes are.
import { limits } from '#contract/limits.ts';

/** The counts of a service that a bound needs. */
export interface ServiceShare {
  /** The shortest time that an entry stays in the table, milliseconds. */
  leastMs: number;
  seen: number;
  estimated: number;
}

export interface Bound {
  intervalMs: number;
  /** At most this share of the connections is missed, 0…1. */
  share: number;
}

/** An interval that misses at most this share is good enough. */
export const goodShare = 0.02;

const intervalsMs = [300, 180, 120, 90, 60, 45, 30, 20, 15, 10].map((seconds) => seconds * 1000);

/** The usual intervals below `intervalMs`, longest first, that use at most half of the router's time. */
export function shorterIntervals(intervalMs: number, takesMs: number): number[] {
  const leastMs = Math.max(limits.pollIntervalMinMs, 2 * takesMs);
  return intervalsMs.filter((shorter) => shorter < intervalMs && shorter >= leastMs);
}

/**
 * At most this share is missed with `shorterMs`, when the counts are of reads `gapMs` apart. A connection with an entry of
 * life L is seen with probability min(1, L / interval), which is concave in 1 / interval: between two intervals at least the
 * straight line is seen, and with the least life everything is.
 */
export function boundMissedShare(services: readonly ServiceShare[], gapMs: number, shorterMs: number): number {
  let missed = 0;
  let all = 0;
  for (const { leastMs, seen, estimated } of services) {
    all += Math.max(seen, estimated);
    if (shorterMs > leastMs && gapMs > shorterMs) {
      const nearer = (1 / shorterMs - 1 / gapMs) / (1 / leastMs - 1 / gapMs);
      missed += Math.max(0, estimated - seen) * (1 - nearer);
    }
  }
  return all === 0 ? 0 : missed / all;
}

/** The longest interval that is good enough, else the shortest that is better than the present one; null when none is. */
export function suggest(bounds: readonly Bound[], present: number): Bound | null {
  if (present <= goodShare) {
    return null;
  }
  const shortest = bounds.at(-1);
  return bounds.find(({ share }) => share <= goodShare) ?? (shortest && shortest.share < present ? shortest : null);
}
