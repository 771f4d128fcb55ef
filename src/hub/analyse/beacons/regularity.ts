// The regularity of session starts: pure arithmetic on instants. It allows for devices that sleep, polls that see starts
// only to their interval, and missed beats.
import { hourMs } from '#kernel/time/time.ts';

export interface RegularityOptions {
  /** Minimum number of distinct instants. */
  minObs: number;
  /** Coefficient of variation above which nothing is regular. */
  maxCov: number;
  minIntervalMs: number;
  maxIntervalMs: number;
  /** Milliseconds between two reads of the table. */
  pollMs: number;
}

export interface Regularity {
  /** 0…1. */
  score: number;
  /** The median gap. Rounding by polls is averaged out: gaps near the median, or sessions per poll. */
  intervalMs: number;
  /** Coefficient of variation of the interval, without the share of the polling clock. */
  cov: number;
}

/** Session starts in order of time, epoch milliseconds; several sessions of one poll are repeated. */
export interface Starts {
  times: readonly number[];
  /** Whether starts are exact to the second, or are the poll that first showed the session. */
  isExact: boolean;
}

/** A gap of more than so many intervals and so many milliseconds is sleep, not jitter. */
const sleep = { gaps: 2.5, ms: 900_000, fewest: 3, share: 0.45 };
/** Gaps of about two intervals are missed beats, while they are few. */
const missed = { from: 1.6, to: 2.4, share: 0.12 };
const trimmed = 0.05;
const gates = { intervalMs: 20_000, hours: 4, spanMs: 3 * hourMs, intervals: 6 };

/** `null` when there are too few starts. */
export function measureRegularity(starts: Starts, options: RegularityOptions): Regularity | null {
  const times = dropNearDuplicates(starts.times, starts.isExact ? 2000 : options.pollMs / 2);
  if (times.length < Math.max(options.minObs, 3)) {
    return null;
  }
  const gaps = computeGaps(times);
  const median = findQuantile(gaps, 0.5);
  const byCount = starts.isExact || median >= 2.2 * options.pollMs ? null : measureByCounts(starts.times, options);
  const isBelowPolls = !starts.isExact && median < 1.5 * options.pollMs;
  const byGap = isBelowPolls ? null : measureByGaps(gaps, median, starts.isExact, options);
  const best = [byCount, byGap].filter((one) => one !== null).sort((a, b) => b.score - a.score)[0];
  if (!best || !isWithinGates(times, best, options)) {
    return null;
  }
  const intervalMs = isBelowPolls
    ? best.intervalMs
    : starts.isExact
      ? median
      : computeMiddleMean(gaps, Math.max(options.pollMs, median / 2));
  return { ...best, intervalMs, score: best.score * computeEvenness(times, best) };
}

function isWithinGates(times: readonly number[], { intervalMs }: Regularity, options: RegularityOptions): boolean {
  const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const hours = new Set(times.map((at) => Math.floor(at / hourMs))).size;
  return (
    intervalMs >= Math.max(gates.intervalMs, options.minIntervalMs) &&
    intervalMs <= options.maxIntervalMs &&
    hours >= gates.hours &&
    spanMs >= Math.max(gates.spanMs, gates.intervals * intervalMs)
  );
}

/** From the gaps between two starts. */
function measureByGaps(
  all: readonly number[],
  median: number,
  isExact: boolean,
  options: RegularityOptions,
): Regularity | null {
  const limit = Math.max(sleep.gaps * median, sleep.ms);
  const gaps = resolveMissedBeats(
    all.filter((gap) => gap <= limit),
    median,
  );
  if (all.length - gaps.length > Math.max(sleep.fewest, sleep.share * all.length)) {
    return null;
  }
  const { mean, variance } = computeMoments(trimExtremes(gaps));
  const clock = isExact ? 300_000 : (0.8 * options.pollMs ** 2) / 6;
  const cov = Math.sqrt(Math.max(0, variance - clock)) / mean;
  const upper = cov * (1 + 1.2 / Math.sqrt(2 * gaps.length));
  const score = scoreVariation(upper, options) * Math.min(1, 0.5 + gaps.length / 32);
  return { score, cov, intervalMs: mean };
}

/** Halves gaps of about two intervals while they are few, else drops them: without a cap any traffic looks regular. */
function resolveMissedBeats(gaps: readonly number[], median: number): number[] {
  const isMissed = (gap: number) => gap >= missed.from * median && gap <= missed.to * median;
  const count = gaps.filter(isMissed).length;
  return count <= missed.share * gaps.length
    ? gaps.map((gap) => (isMissed(gap) ? gap / 2 : gap))
    : gaps.filter((gap) => !isMissed(gap));
}

/**
 * Polls without a start that end a stretch, polls that a stretch and all of them need, and polls that are counted as one:
 * where an interval begins within its poll then matters little.
 */
const stretch = { empty: 5, polls: 20, total: 60, block: 5, fullMs: 4 * hourMs };

/** Regularity by sessions per poll, for sessions that polls cannot tell apart. */
function measureByCounts(times: readonly number[], options: RegularityOptions): Regularity | null {
  const parts = splitStretches(times, options.pollMs).filter((counts) => counts.length >= stretch.polls);
  const polls = parts.reduce((sum, counts) => sum + counts.length, 0);
  if (polls < stretch.total) {
    return null;
  }
  // A stretch begins and ends with a session, somewhere within a poll: only the polls between show the rate.
  const blocks = parts.flatMap((counts) => sumBlocks(counts.slice(1, -1)));
  const mean = computeMiddleMean(blocks, 1) / stretch.block;
  const dispersion = parts.reduce((sum, counts) => sum + (computeDispersion(counts) * counts.length) / polls, 0);
  const cov = Math.sqrt(dispersion);
  const weight = Math.min(1, 0.5 + (0.5 * polls * options.pollMs) / stretch.fullMs);
  return { score: scoreVariation(cov, options) * weight, cov, intervalMs: options.pollMs / mean };
}

/** 1 for Poisson traffic, the square of the coefficient of variation for a beacon. */
function computeDispersion(polls: readonly number[]): number {
  const { mean, variance } = computeMoments(sumBlocks(polls));
  const fraction = mean - Math.floor(mean);
  return Math.max(0, variance - fraction * (1 - fraction)) / mean;
}

/** Sums of five polls; an incomplete block at the end is dropped. */
function sumBlocks(polls: readonly number[]): number[] {
  const sums: number[] = [];
  for (let from = 0; from + stretch.block <= polls.length; from += stretch.block) {
    sums.push(polls.slice(from, from + stretch.block).reduce((sum, count) => sum + count, 0));
  }
  return sums;
}

/** Sessions poll by poll, in stretches without more than five empty polls. */
function splitStretches(times: readonly number[], pollMs: number): number[][] {
  const stretches: number[][] = [];
  let current: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const at of times) {
    const poll = Math.round(at / pollMs);
    if (poll - last > stretch.empty) {
      current = [];
      stretches.push(current);
    } else {
      current.push(...Array.from({ length: poll - last - 1 }, () => 0));
    }
    if (poll === last) {
      current.push((current.pop() ?? 0) + 1);
    } else {
      current.push(1);
    }
    last = poll;
  }
  return stretches;
}

/** 1 for perfect regularity, 0 at 1.2 times the largest accepted coefficient of variation. */
function scoreVariation(cov: number, { maxCov }: RegularityOptions): number {
  return Math.max(0, 1 - cov / (1.2 * maxCov));
}

/** 0.6…1: the rate of a beacon is constant from hour to hour, that of people is not. Empty hours are sleep. */
function computeEvenness(times: readonly number[], { intervalMs }: Regularity): number {
  const width = Math.max(hourMs, 4 * intervalMs);
  const bins = new Map<number, number>();
  for (const at of times) {
    const bin = Math.floor(at / width);
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
  const counts = [...bins.values()].slice(1, -1);
  if (counts.length < 2) {
    return 1;
  }
  const { mean, variance } = computeMoments(counts);
  return 0.6 + 0.4 * Math.max(0, 1 - Math.max(0, Math.sqrt(variance) / mean - 0.15));
}

/** Mean of the values within `within` of their median. */
function computeMiddleMean(values: readonly number[], within: number): number {
  const median = findQuantile(values, 0.5);
  const middle = values.filter((value) => Math.abs(value - median) <= within);
  return computeMean(middle);
}

/** Without the shortest and the longest twentieth. */
function trimExtremes(gaps: readonly number[]): number[] {
  const cut = Math.floor(gaps.length * trimmed);
  return gaps.toSorted((a, b) => a - b).slice(cut, gaps.length - cut);
}

function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function computeMoments(values: readonly number[]): { mean: number; variance: number } {
  const mean = computeMean(values);
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length };
}

function dropNearDuplicates(times: readonly number[], toleranceMs: number): number[] {
  const kept: number[] = [];
  for (const at of times) {
    if (at - (kept.at(-1) ?? Number.NEGATIVE_INFINITY) > toleranceMs) {
      kept.push(at);
    }
  }
  return kept;
}

function computeGaps(times: readonly number[]): number[] {
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}

function findQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
