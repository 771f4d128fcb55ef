// The beacon detector on seeded traffic: how many beacons it finds, how much else it takes for one, and what it costs.

import { candidateScore, measureBestRegularity } from '#hub/analyse/beacons/scan.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import {
  backgroundStarts,
  backgrounds,
  beaconStarts,
  chance,
  observed,
  withSleep,
} from '../test/support/beacon-traffic.ts';
import { quantile } from '../test/support/health-probe.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

const intervals = [30, 60, 90, 120, 300, 600, 1200, 1800, 3600, 7200].map((seconds) => seconds * 1000);
const jitters = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5];
const polling = { pollMs: 60_000, lost: 0.01 };
const options = { minObs: 8, maxCov: 0.5, minIntervalMs: 20_000, maxIntervalMs: 14_400_000, pollMs: 60_000 };

export const beaconsBenchmark: Benchmark = {
  summary:
    'the beacon detector on seeded traffic: jitter 0-50 %, sleeping devices, 60 s polls, nine kinds of background',
  options: { each: 'cases of each kind (20)', seed: 'seed of the traffic (1)' },
  runs: 1,
  by: ['starts', 'asleep', 'set'],
  async run(values, _runs, progress) {
    const each = wholeOption(values, 'each', 20, 1, 1000);
    const seed = wholeOption(values, 'seed', 1, 0, 99_999_999);
    return [false, true].flatMap((isExact) =>
      [false, true].flatMap((sleeps) => {
        progress(`${isExact ? 'entry age' : 'polls'}${sleeps ? ', asleep' : ''}`);
        return figuresOf({ isExact, sleeps, each, seed });
      }),
    );
  },
};

interface Mode {
  isExact: boolean;
  sleeps: boolean;
  each: number;
  seed: number;
}

interface Case {
  set: string;
  isBeacon: boolean;
  intervalMs: number;
  times: number[];
}

/** One row for all, one for each jitter, one for each background. */
function figuresOf(mode: Mode): object[] {
  const cases = [...beaconCases(mode), ...backgroundCases(mode)];
  const elapsed = stopwatch();
  const judged = cases.map((one) => {
    const found = measureBestRegularity({ times: one.times, isExact: mode.isExact }, options);
    const isFound = found !== null && found.score >= candidateScore;
    return { ...one, isFound, error: found ? Math.abs(found.intervalMs / one.intervalMs - 1) : 0 };
  });
  const msPerGroup = elapsed() / cases.length;
  const share = (some: readonly { isFound: boolean }[]) =>
    some.length === 0 ? null : Math.round((1000 * some.filter(({ isFound }) => isFound).length) / some.length) / 10;
  const shown = { starts: mode.isExact ? 'entry age' : 'polls', asleep: mode.sleeps ? 'yes' : 'no' };
  const rowOf = (set: string, some: readonly (typeof judged)[number][]) => {
    const beacons = some.filter(({ isBeacon }) => isBeacon);
    const errors = beacons.filter(({ isFound }) => isFound).map(({ error }) => error);
    return {
      ...shown,
      set,
      groups: some.length,
      recallPercent: share(beacons),
      falsePercent: share(some.filter(({ isBeacon }) => !isBeacon)),
      intervalErrorPercent: errors.length === 0 ? null : Math.round(quantile(errors, 0.5) * 1000) / 10,
    };
  };
  const sets = [...new Set(cases.map(({ set }) => set))];
  return [
    { ...rowOf('all', judged), msPerGroup },
    ...sets.map((set) =>
      rowOf(
        set,
        judged.filter((one) => one.set === set),
      ),
    ),
  ];
}

function beaconCases({ isExact, sleeps, each, seed }: Mode): Case[] {
  return jitters.flatMap((jitter) =>
    intervals.flatMap((intervalMs) =>
      Array.from({ length: each }, (_, index): Case => {
        const random = chance(seed, 'beacon', intervalMs, jitter, String(sleeps), index);
        const gaussian = index % 2 === 1;
        // What comes once an hour or less is looked for in a week, as the hub does.
        const days = intervalMs >= 3_600_000 ? 7 : 1;
        const all = beaconStarts(random, { intervalMs, jitter, gaussian, missed: index % 3 === 0 ? 0.05 : 0 }, days);
        const starts = sleeps ? withSleep(random, all, days) : all;
        const times = observed(random, starts, isExact, polling);
        return { set: `jitter ${jitter * 100} %`, isBeacon: true, intervalMs, times };
      }),
    ),
  );
}

function backgroundCases({ isExact, sleeps, each, seed }: Mode): Case[] {
  return backgrounds.flatMap((kind) =>
    Array.from({ length: 10 * each }, (_, index): Case => {
      const random = chance(seed, kind, String(sleeps), index);
      const days = index % 2 === 0 ? 7 : 1;
      const all = backgroundStarts(random, kind, days);
      const starts = sleeps ? withSleep(random, all, days) : all;
      return { set: kind, isBeacon: false, intervalMs: 0, times: observed(random, starts, isExact, polling) };
    }),
  );
}
