// The bins of a histogram of durations.
import { shownStepMs } from '../text/duration-step.ts';

/** Most rows of the histogram. */
const most = 8;

/** Bins of equal width, whose edges differ as they are shown; a single one when all intervals are about equal. */
export function toBins(intervals: readonly number[]): { fromMs: number; toMs: number; count: number }[] {
  const shortest = Math.min(...intervals);
  const longest = Math.max(...intervals);
  const middle = intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  // Intervals that differ by at most 5 % of the median are one bin.
  if (longest - shortest <= middle / 20) {
    return [{ fromMs: middle, toMs: middle, count: intervals.length }];
  }
  const step = shownStepMs(longest);
  const start = Math.floor(shortest / step) * step;
  const width = Math.ceil((longest - start + 1) / most / step) * step;
  return Array.from({ length: Math.floor((longest - start) / width) + 1 }, (_, index) => ({
    fromMs: start + index * width,
    toMs: start + (index + 1) * width,
    count: intervals.filter((one) => Math.floor((one - start) / width) === index).length,
  }));
}
