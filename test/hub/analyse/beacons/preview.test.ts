// A preview of other beacon settings against scans that really ran, hour by hour, over the same seeded traffic.
import { expect, test } from 'vitest';
import type { BeaconConfig } from '#contract/beacons.ts';
import { createBeaconStore } from '#hub/analyse/beacons/beacon-store.ts';
import { beaconPreviewQueries } from '#hub/analyse/beacons/preview.ts';
import { beaconQueries, type RegularFlow } from '#hub/analyse/beacons/scan.ts';
import { writeStarts } from '#hub/analyse/beacons/start-recorder.ts';
import type { Random } from '#simulators/support/random.ts';
import {
  backgroundStarts,
  backgrounds,
  beaconStarts,
  chance,
  day,
  hour,
  midnight,
  observed,
  withSleep,
} from '../../../support/beacon-traffic.ts';
import { type ConnectionLog, openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';

const minute = 60_000;
const pollMs = minute;
const to = midnight + 2 * day;

interface Traffic {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  starts: { at: number; isExact: boolean }[];
}

function makeTraffic(random: Random): Traffic[] {
  return Array.from({ length: 12 }, (_, index) => {
    const isExact = random.next() < 0.5;
    const spec = {
      intervalMs: minute * random.int(2, 120),
      jitter: 0.4 * random.next(),
      gaussian: false,
      missed: 0.05,
    };
    const background = backgrounds[random.int(0, backgrounds.length - 1)] ?? 'visits';
    const starts = index % 3 === 2 ? backgroundStarts(random, background, 2) : beaconStarts(random, spec, 2);
    const awake = index % 4 === 0 ? withSleep(random, starts, 2) : starts;
    // Some begin late, so that the scan that finds them lies anywhere in the period.
    const from = midnight + random.next() * 1.5 * day;
    const seenAt = observed(random, awake, isExact, { pollMs, lost: 0.01 }).filter((at) => at > from && at <= to);
    return {
      src: `192.168.1.${1 + (index % 3)}`,
      dst: `203.0.113.${10 + index}`,
      dport: index === 5 ? 123 : 443,
      proto: index === 5 ? 'UDP' : 'TCP',
      starts: seenAt.map((at) => ({ at: Math.floor(at / 1000) * 1000, isExact })),
    };
  }).filter(({ starts }) => starts.length > 0);
}

function makeConfig(random: Random): BeaconConfig {
  return {
    enabled: random.next() < 0.95,
    minObs: random.int(2, 40),
    maxCov: 0.1 + 0.9 * random.next(),
    minIntervalMs: random.int(20, 1200) * 1000,
    maxIntervalMs: random.int(25, 240) * minute,
    scanIntervalMs: random.int(1, 5) * hour,
    whitelistDomains: random.next() < 0.5 ? ['vendor.example'] : [],
    orgAllowlist: random.next() < 0.5 ? ['Cloud'] : [],
  };
}

async function openTraffic(traffic: readonly Traffic[]): Promise<ConnectionLog> {
  const log = openConnectionLog();
  for (const { starts, ...flow } of traffic) {
    await log.record([seen({ ...flow, at: starts[0]?.at ?? midnight })]);
  }
  await log.describe('destination', '203.0.113.11', { host: 'cdn.vendor.example', country: 'ZZ', org: 'Vendor' });
  await log.describe('destination', '203.0.113.13', { host: 'a.example', country: 'ZZ', org: 'Some Cloud' });
  await log.describe('source', '192.168.1.1', { dns_name: 'plug.home.example' });
  await log.judge('203.0.113.14', {});
  await log.db.write((writer) => {
    writer
      .prepare(
        `INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen,
           detected_at, status) VALUES ('192.168.1.1', '203.0.113.16', 443, 'TCP', 1, 0, 1, 9, 1, 2, 3, 'dismissed')`,
      )
      .run();
  });
  return log;
}

/** When the poll came that showed it: the second itself is known a poll later. */
const knownAt = ({ at, isExact }: { at: number; isExact: boolean }) => (isExact ? Math.min(at + pollMs, to) : at);

/** The starts of `traffic` that became known after `after` up to `until`; the first of a flow is in the log, not among them. */
const startsBetween = (traffic: readonly Traffic[], after: number, until: number) =>
  traffic.map(({ starts, ...flow }) => ({
    ...flow,
    starts: starts.slice(1).filter((start) => knownAt(start) > after && knownAt(start) <= until),
  }));

type Figures = Pick<RegularFlow, 'intervalMs' | 'score' | 'obsCount'> & { at: number };

/** What a hub with these settings tells whose scans run while the traffic comes: the first news of each flow. */
async function scanAll(traffic: readonly Traffic[], config: BeaconConfig): Promise<Map<string, Figures>> {
  await using log = await openTraffic(traffic);
  using reader = openReader(log);
  const store = createBeaconStore(log.db);
  const told = new Map<string, Figures>();
  let last = 0;
  for (let left = Math.floor((to - midnight) / config.scanIntervalMs); left >= 0; left -= 1) {
    const now = to - left * config.scanIntervalMs;
    const [after, until] = [last, now];
    last = now;
    await log.db.write((writer) => writeStarts(writer, startsBetween(traffic, after, until), pollMs));
    if (!config.enabled) {
      continue;
    }
    reader.begin();
    const scan = beaconQueries.beaconScan(reader, { now, pollMs, config, most: 1000 });
    reader.end();
    await store.apply(scan, function* (_, news) {
      for (const { dst, intervalMs, score, obsCount } of news) {
        told.set(dst, told.get(dst) ?? { at: now, intervalMs, score, obsCount });
      }
      return () => {};
    });
  }
  return told;
}

test('a preview tells what scans with its settings told while the same traffic came, at the same scans', async () => {
  let tellings = 0;
  let differing = 0;
  for (let seed = 0; seed < 12; seed += 1) {
    const random = chance('preview', seed);
    const traffic = makeTraffic(random);
    const [given, saved] = [makeConfig(random), makeConfig(random)];
    await using log = await openTraffic(traffic);
    await log.db.write((writer) => writeStarts(writer, startsBetween(traffic, 0, to), pollMs));
    using reader = openReader(log);
    const preview = beaconPreviewQueries.beaconPreview(reader, { now: to, pollMs, given, saved });
    const [byGiven, bySaved] = [await scanAll(traffic, given), await scanAll(traffic, saved)];
    const either = new Set([...byGiven.keys(), ...bySaved.keys()]);
    const shown = preview.beacons.map(({ dst, givenAt, savedAt, intervalMs, score, obsCount }) => {
      return { dst, givenAt, savedAt, intervalMs, score, obsCount };
    });
    const expected = [...either].map((dst) => {
      const [one, other] = [byGiven.get(dst), bySaved.get(dst)];
      const { at: _, ...figures } = (one ?? other) as Figures;
      return { dst, givenAt: one?.at ?? null, savedAt: other?.at ?? null, ...figures };
    });
    const sort = (rows: typeof shown) => rows.toSorted((a, b) => a.dst.localeCompare(b.dst));
    expect(sort(shown), `seed ${seed}`).toEqual(sort(expected));
    const both = [...byGiven.keys()].filter((dst) => bySaved.has(dst)).length;
    expect(preview).toMatchObject({ given: byGiven.size, saved: bySaved.size, both, truncated: false });
    const newest = preview.beacons.map(({ givenAt, savedAt }) => Math.max(givenAt ?? 0, savedAt ?? 0));
    expect(newest).toEqual(newest.toSorted((a, b) => b - a));
    tellings += either.size;
    differing += either.size - both;
  }
  // The seeds make both kinds: what is told by either, and what is told by one alone.
  expect(tellings).toBeGreaterThan(30);
  expect(differing).toBeGreaterThan(10);
});

test('no stored start is an empty period; the newest rows are shown, and the dismissed are counted apart', async () => {
  const config: BeaconConfig = {
    ...{ enabled: true, minObs: 8, maxCov: 0.5, minIntervalMs: 20_000, maxIntervalMs: 240 * minute },
    ...{ scanIntervalMs: hour, whitelistDomains: [], orgAllowlist: [] },
  };
  const params = { now: to, pollMs, given: config, saved: { ...config, enabled: false } };
  await using empty = openConnectionLog();
  using emptyReader = openReader(empty);
  expect(beaconPreviewQueries.beaconPreview(emptyReader, params)).toEqual({
    ...{ asked: to - 14 * day, from: to, to, flows: 0, given: 0, saved: 0, both: 0, dismissed: 0 },
    ...{ beacons: [], truncated: false },
  });
  const starts = Array.from({ length: 40 }, (_, index) => ({ at: midnight + index * 10 * minute, isExact: true }));
  const traffic = Array.from({ length: 102 }, (_, index): Traffic => {
    const dst = index === 0 ? '203.0.113.16' : `198.51.100.${index}`;
    return { src: '192.168.1.1', dst, dport: 443, proto: 'TCP', starts };
  });
  await using log = await openTraffic(traffic);
  await log.db.write((writer) => writeStarts(writer, startsBetween(traffic, 0, to), pollMs));
  using reader = openReader(log);
  const preview = beaconPreviewQueries.beaconPreview(reader, params);
  expect(preview).toMatchObject({ from: midnight, flows: 101, given: 101, saved: 0, both: 0, dismissed: 1 });
  expect([preview.beacons.length, preview.truncated]).toEqual([100, true]);
  expect(preview.beacons[0]).toMatchObject({ srcName: 'plug.home.example', savedAt: null, threatLevel: 'safe' });
});
