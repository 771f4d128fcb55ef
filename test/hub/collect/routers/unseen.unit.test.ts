// What is counted of a router's reads for the estimate of unseen connections, and what is not; the bound of a suggestion.
import { describe, expect, test } from 'vitest';
import type { Session } from '#hub/collect/routers/driver.ts';
import { UnseenCounts } from '#hub/collect/routers/unseen/counts.ts';
import { reportUnseen } from '#hub/collect/routers/unseen/report.ts';
import { mostServices } from '#hub/collect/routers/unseen/services.ts';
import { boundMissedShare, shorterIntervals, suggest } from '#hub/collect/routers/unseen/suggestion.ts';
import { findLeastLife } from '#hub/collect/routers/unseen/timers.ts';
import { dayMs } from '#kernel/time/time.ts';
import { sessionWith } from './tables.ts';

const start = Date.UTC(2026, 2, 1);
const intervalMs = 120_000;
const vendorA = findLeastLife('vendor_a', 900);
const vendorB = findLeastLife('vendor_b', undefined);

const session = (more: Partial<Session> = {}) =>
  sessionWith({ ageSec: 30, printedFrom: start, printedTo: start + 1, ...more });

interface Read {
  at: number;
  rows?: readonly Session[];
  isWhole?: boolean;
  isStored?: boolean;
  tookMs?: number;
}

/** All rows are new. */
function read(counts: UnseenCounts, { at, rows = [], isWhole = true, isStored = true, tookMs = 0 }: Read) {
  counts.begin(isWhole ? { from: start + at, to: start + at + tookMs } : null, vendorB);
  for (const row of rows) {
    counts.row(row, true);
  }
  if (isStored) {
    counts.stored();
  }
}

const many = (count: number, more: Partial<Session> = {}) => Array.from({ length: count }, () => session(more));
const totals = ({ services, countedMs, reads }: UnseenCounts) => {
  const all = [...services];
  const sum = (name: 'seen' | 'estimated') => all.reduce((total, one) => total + one[name], 0);
  return { seen: sum('seen'), estimated: sum('estimated'), countedMs, reads };
};

describe('what is counted', () => {
  test('the first read counts nothing; by the second, those that began in the last minute stand for two', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0, rows: many(30) });
    expect(totals(counts)).toEqual({ seen: 0, estimated: 0, countedMs: 0, reads: 0 });
    read(counts, { at: 120_000, rows: [...many(10), ...many(5, { ageSec: 60 })] });
    expect(totals(counts)).toEqual({ seen: 15, estimated: 20, countedMs: 120_000, reads: 1 });
  });

  test('by age and remaining time, each that ends in the last minute stands for two, missed by the time their life leaves', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0 });
    const rows = [...many(8, { ageSec: 30, ttl: 60 }), ...many(4, { ageSec: 59, ttl: 1 }), ...many(3, { ttl: 61 })];
    read(counts, { at: 120_000, rows });
    expect(totals(counts)).toMatchObject({ seen: 15, estimated: 15 + 8 * 2 * (1 - 90 / 120) + 4 * 2 * (1 - 60 / 120) });
  });

  test('the time between two reads is the real one', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0 });
    read(counts, { at: 180_000, rows: many(10) });
    expect(totals(counts)).toMatchObject({ estimated: 30, countedMs: 180_000 });
  });

  test('by remaining times, those that end in the last minute stand for two, and the growth of the table is added', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0, rows: many(4, { ageSec: null, ttl: 300 }) });
    const rows = [...many(10, { ageSec: null, ttl: 60 }), ...many(2, { ageSec: null, ttl: 61 })];
    read(counts, { at: 120_000, rows });
    expect(totals(counts)).toMatchObject({ seen: 12, estimated: 20 + 12 - 4 });
  });

  test.each<[what: string, between: Read[], at: number]>([
    ['a table that broke off', [{ at: 120_000, rows: many(40), isWhole: false }], 240_000],
    [
      'one that broke off and could not be stored',
      [{ at: 120_000, rows: many(40), isWhole: false, isStored: false }],
      240_000,
    ],
    ['reads that failed', [], 300_000],
  ])('%s counts nothing, nor does the read after it', (_what, between, at) => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0 });
    for (const one of between) {
      read(counts, one);
    }
    read(counts, { at, rows: many(20) });
    expect(totals(counts)).toMatchObject({ seen: 0, estimated: 0, reads: 0 });
    read(counts, { at: at + 120_000, rows: many(10) });
    expect(totals(counts)).toMatchObject({ seen: 10, estimated: 20, reads: 1 });
  });

  test('a read that could not be stored counts nothing; the next one counts since the one that was', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0 });
    read(counts, { at: 120_000, rows: many(40), isStored: false });
    expect(totals(counts)).toMatchObject({ seen: 0, estimated: 0, reads: 0 });
    read(counts, { at: 240_000, rows: many(20) });
    expect(totals(counts)).toMatchObject({ seen: 20, estimated: 80, countedMs: 240_000, reads: 1 });
  });

  test('a clock that was put back counts nothing, and what follows is counted', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 10 * dayMs });
    read(counts, { at: 0, rows: many(10) });
    expect(totals(counts)).toMatchObject({ seen: 0, estimated: 0, countedMs: 0 });
    read(counts, { at: 120_000, rows: many(10) });
    expect(totals(counts)).toMatchObject({ seen: 10, estimated: 20, countedMs: 120_000 });
  });

  test('about a day: then all counts are halved', () => {
    const counts = new UnseenCounts(intervalMs);
    for (let at = 0; at <= dayMs; at += intervalMs) {
      read(counts, { at, rows: many(1) });
    }
    expect(totals(counts)).toMatchObject({ seen: 720, reads: 720, countedMs: dayMs });
    read(counts, { at: dayMs + intervalMs, rows: many(1) });
    expect(totals(counts)).toMatchObject({ seen: 360.5, reads: 360.5, countedMs: (dayMs + intervalMs) / 2 });
  });

  test('other times in the table are another estimate', () => {
    const counts = new UnseenCounts(intervalMs);
    read(counts, { at: 0 });
    read(counts, { at: 120_000, rows: many(10) });
    read(counts, { at: 240_000, rows: many(10, { ageSec: null, ttl: null }) });
    expect(counts.by).toBe('none');
    expect(totals(counts)).toEqual({ seen: 0, estimated: 0, countedMs: 0, reads: 0 });
  });

  test('a timer that is shorter than delivered shows after 20 rows', () => {
    const counts = new UnseenCounts(intervalMs);
    const short = { proto: 'UDP', dport: 123, ttl: 30, ageSec: 10 };
    read(counts, { at: 0, rows: many(19, short) });
    read(counts, { at: 120_000, rows: many(1, short) });
    // Until now 300 s were taken for its least life: nothing of it was missed.
    expect(totals(counts)).toMatchObject({ seen: 1, estimated: 1 });
    read(counts, { at: 240_000, rows: many(1, short) });
    expect(totals(counts)).toMatchObject({ seen: 2, estimated: 1 + 1 + (120 / 30) * (1 - 40 / 120) });
  });
});

test('more services than are counted one by one: the largest are, the rest is one; DNS is always counted', () => {
  const counts = new UnseenCounts(intervalMs);
  // Smaller than any other one: it began long ago.
  const dns = session({ proto: 'UDP', dport: 53, ageSec: 90 });
  const large = many(5, { dport: 443 });
  const ports = (from: number) => Array.from({ length: 1000 }, (_, index) => session({ dport: from + index }));
  read(counts, { at: 0, rows: ports(10_000) });
  for (let at = 1; at <= 5; at += 1) {
    read(counts, { at: at * intervalMs, rows: [...ports(10_000 + 1000 * at), ...large, ...large, dns] });
  }
  const all = [...counts.services];
  expect(all.filter(({ dport }) => dport !== null).length).toBe(mostServices);
  expect(all.find(({ proto, dport }) => proto === 'UDP' && dport === 53)).toMatchObject({ seen: 5, estimated: 0 });
  expect(totals(counts)).toMatchObject({ seen: 5 * 1011, estimated: 10 * 1010 });
  const { services, estimated, seen } = reportUnseen({ ...counts, reads: 10, takesMs: 0 }, null);
  expect(services).toHaveLength(20);
  expect([seen, estimated]).toEqual([5055, 10_100]);
  expect(services[0]).toMatchObject({ proto: 'TCP', dport: null, share: 0.5 });
});

describe('least lives as delivered', () => {
  test.each([
    ['vendor_a TCP', vendorA, 'TCP', 443, 60],
    ['vendor_a DNS', vendorA, 'UDP', 53, 10],
    ['vendor_a UDP', vendorA, 'UDP', 443, 900],
    ['vendor_a ICMP', vendorA, 'ICMP', 0, 900],
    ['vendor_a with a NAT timer of 30 s, TCP', findLeastLife('vendor_a', 30), 'TCP', 443, 30],
    ['vendor_a whose timers differ, UDP', findLeastLife('vendor_a', null), 'UDP', 443, 900],
    ['vendor_b TCP', vendorB, 'TCP', 53, 60],
    ['vendor_b DNS', vendorB, 'UDP', 53, 60],
    ['vendor_b UDP', vendorB, 'UDP', 443, 300],
    ['vendor_b ICMP', vendorB, 'ICMP', 0, 60],
    ['vendor_b GRE', vendorB, 'GRE', 0, 86_400],
  ] as const)('%s', (_what, least, proto, dport, seconds) => {
    expect(least(proto, dport)).toBe(seconds * 1000);
  });
});

describe('a suggestion', () => {
  const services = [
    { leastMs: 10_000, seen: 100, estimated: 1000 },
    { leastMs: 60_000, seen: 4000, estimated: 5000 },
    { leastMs: 300_000, seen: 4000, estimated: 3990 },
  ];

  test('its bound falls with the interval, from the present share to nothing at the least life', () => {
    const bounds = shorterIntervals(120_000, 0).map((shorter) => boundMissedShare(services, 120_000, shorter));
    expect(bounds).toEqual([...bounds].sort((one, other) => other - one));
    expect(boundMissedShare(services, 120_000, 119_999)).toBeCloseTo(1900 / 10_000, 4);
    expect(bounds.at(-1)).toBe(0);
  });

  test('whatever the lives are, no more is missed than the bound says', () => {
    for (const [leastMs, longestMs] of [
      [10_000, 10_100],
      [10_000, 60_000],
      [60_000, 400_000],
    ] as const) {
      const lives = Array.from({ length: 1000 }, (_, index) => leastMs + ((longestMs - leastMs) * index) / 999);
      const seenAt = (every: number) => lives.reduce((sum, life) => sum + Math.min(1, life / every), 0);
      for (const shorter of shorterIntervals(300_000, 0)) {
        const bound = boundMissedShare([{ leastMs, seen: seenAt(300_000), estimated: 1000 }], 300_000, shorter);
        expect(bound + 1e-9).toBeGreaterThanOrEqual(1 - seenAt(shorter) / 1000);
      }
    }
  });

  test('it is the longest that is good enough, else the shortest that is better', () => {
    const bounds = [
      { intervalMs: 60_000, share: 0.05 },
      { intervalMs: 30_000, share: 0.02 },
      { intervalMs: 10_000, share: 0 },
    ];
    expect(suggest(bounds, 0.2)).toEqual({ intervalMs: 30_000, share: 0.02 });
    expect(suggest(bounds.slice(0, 1), 0.2)).toEqual({ intervalMs: 60_000, share: 0.05 });
    expect(suggest(bounds, 0.02)).toBeNull();
    expect(suggest([], 0.2)).toBeNull();
    expect(suggest([{ intervalMs: 60_000, share: 0.2 }], 0.2)).toBeNull();
  });

  test('it leaves a router half of its time', () => {
    expect(shorterIntervals(120_000, 15_000)).toEqual([90_000, 60_000, 45_000, 30_000]);
    expect(shorterIntervals(30_000, 0)).toEqual([20_000, 15_000, 10_000]);
    expect(shorterIntervals(10_000, 0)).toEqual([]);
  });
});

test('how long reads take is their average; a share that cannot be made smaller is explained', () => {
  const counts = new UnseenCounts(intervalMs);
  for (let at = 0; at <= 12; at += 1) {
    read(counts, { at: at * intervalMs, rows: many(10), tookMs: 70_000 });
  }
  expect(counts.takesMs).toBe(70_000);
  const { share, suggestion, message } = reportUnseen(counts, null);
  expect([share, suggestion]).toEqual([0.5, null]);
  expect(message).toMatch(/^about 50\.0 % of the connections .* a read takes 70 s, .* no less than 10 s\.$/);
});
