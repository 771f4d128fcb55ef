// Seeded traffic with beacons and without, and what polls of a NAT table see of it: the ground truth of the detector.
import { createRandom, hash, type Random } from '#simulators/support/random.ts';

export const hour = 3_600_000;
export const day = 24 * hour;
/** Midnight. */
export const midnight = Date.UTC(2026, 2, 1);

export const backgrounds = [
  'poisson',
  'diurnal',
  'bursts',
  'visits',
  'log-normal',
  'dense-stream',
  'sparse',
  'human-paced',
  'brute-force',
] as const;
export type Background = (typeof backgrounds)[number];

export interface BeaconSpec {
  intervalMs: number;
  /** Share of the interval: half the width of a uniform jitter, or the standard deviation of a Gaussian one. */
  jitter: number;
  gaussian: boolean;
  /** Share of beats that do not come. */
  missed: number;
}

/** Start instants of sessions over `days` days, in order. */
export function beaconStarts(random: Random, spec: BeaconSpec, days = 1): number[] {
  const starts: number[] = [];
  let at = midnight + random.next() * spec.intervalMs;
  while (at < midnight + days * day) {
    if (random.next() >= spec.missed) {
      starts.push(at);
    }
    const noise = spec.gaussian ? normal(random) * spec.jitter : (2 * random.next() - 1) * spec.jitter;
    at += Math.max(1000, spec.intervalMs * (1 + noise));
  }
  return starts;
}

export function backgroundStarts(random: Random, kind: Background, days = 1): number[] {
  const end = midnight + days * day;
  switch (kind) {
    case 'poisson':
      return poisson(random, 30_000 * 80 ** random.next(), midnight, end);
    case 'diurnal': {
      const mean = 20_000 * 30 ** random.next();
      return poisson(random, mean, midnight, end).filter((at) => random.next() < activity(at));
    }
    case 'bursts':
      return poisson(random, 600_000 * 6 ** random.next(), midnight, end).flatMap((at) =>
        Array.from({ length: random.int(2, 30) }, () => at + random.next() * 60_000),
      );
    case 'visits':
      return poisson(random, 3 * hour, midnight, end).flatMap((at) =>
        poisson(random, 30_000 * 4 ** random.next(), at, at + (5 + 40 * random.next()) * 60_000),
      );
    case 'log-normal': {
      const median = 30_000 * 40 ** random.next();
      const sigma = 0.8 + 0.8 * random.next();
      return walk(random, () => median * Math.exp(sigma * normal(random)), midnight, end);
    }
    case 'dense-stream': {
      const mean = 2000 * 15 ** random.next();
      return everyDay(days, (from) => {
        const start = from + random.next() * 18 * hour;
        return poisson(random, mean, start, start + (0.5 + 5 * random.next()) * hour);
      });
    }
    case 'sparse':
      return Array.from({ length: random.int(4, 24) * days }, () => midnight + random.next() * (end - midnight));
    case 'human-paced':
      return everyDay(days, (from) =>
        walk(
          random,
          () => (20_000 + 400_000 * random.next() ** 3) * (1 + 2 * random.next()),
          from + 8 * hour,
          from + 23 * hour,
        ),
      );
    case 'brute-force':
      return poisson(random, 5 * hour, midnight, end).flatMap((at) =>
        walk(random, () => 500 + 4000 * random.next(), at, at + (2 + 10 * random.next()) * 60_000),
      );
  }
}

/** Takes one to three periods of half an hour to five hours out of every day: the device was off. */
export function withSleep(random: Random, starts: readonly number[], days = 1): number[] {
  const off = Array.from({ length: days }, (_, index) =>
    Array.from({ length: random.int(1, 3) }, () => {
      const from = midnight + (index + random.next()) * day;
      return { from, to: from + (0.5 + 4.5 * random.next()) * hour };
    }),
  ).flat();
  return starts.filter((at) => !off.some(({ from, to }) => at >= from && at < to));
}

export interface Polling {
  pollMs: number;
  /** Share of polls that fail. */
  lost: number;
}

/** What polls make of starts: the poll that first shows each session, or the second it began where entries tell. */
export function observed(
  random: Random,
  starts: readonly number[],
  isExact: boolean,
  { pollMs, lost }: Polling,
): number[] {
  const phase = random.next() * pollMs;
  const lingerMs = 60_000 + random.next() * 240_000;
  const lostPolls = new Map<number, boolean>();
  const isLost = (poll: number) => {
    const known = lostPolls.get(poll) ?? random.next() < lost;
    lostPolls.set(poll, known);
    return known;
  };
  return starts
    .toSorted((a, b) => a - b)
    .flatMap((at) => {
      let poll = Math.ceil((at - phase) / pollMs);
      while (isLost(poll)) {
        poll += 1;
      }
      const seenAt = phase + poll * pollMs;
      return seenAt - at > lingerMs ? [] : [isExact ? Math.round(at / 1000) * 1000 : Math.round(seenAt)];
    });
}

/** One seeded source of chance per case. */
export function chance(...words: readonly (string | number)[]): Random {
  return createRandom(hash('beacons', ...words));
}

function everyDay(days: number, starts: (from: number) => number[]): number[] {
  return Array.from({ length: days }, (_, index) => starts(midnight + index * day)).flat();
}

function poisson(random: Random, mean: number, from: number, to: number): number[] {
  return walk(random, () => -mean * Math.log(1 - random.next()), from, to);
}

function walk(random: Random, step: () => number, from: number, to: number): number[] {
  const starts: number[] = [];
  for (let at = from + step() * random.next(); at < to && starts.length < 100_000; at += step()) {
    starts.push(at);
  }
  return starts;
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** How awake people are, 0…1. */
function activity(at: number): number {
  const hourOfDay = ((at - midnight) % day) / hour;
  return hourOfDay < 7 ? 0.05 : 0.3 + 0.7 * Math.sin((Math.PI * (hourOfDay - 7)) / 17);
}
