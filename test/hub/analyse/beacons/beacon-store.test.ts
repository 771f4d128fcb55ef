// What a scan found, taken over into a real database: what is listed, what stays, and what of it is news.
import { expect, test } from 'vitest';
import { createBeaconStore } from '#hub/analyse/beacons/beacon-store.ts';
import { candidateScore, keptScore, type RegularFlow } from '#hub/analyse/beacons/scan.ts';
import { noon, openConnectionLog, seen } from '../../../support/connection-log.ts';

const minute = 60_000;

function found(last: number, change: Partial<RegularFlow> = {}): RegularFlow {
  return {
    ...{ src: '192.168.1.2', dst: `203.0.113.${last}`, dport: 443, proto: 'TCP' },
    ...{ intervalMs: 20 * minute, cov: 0.1, score: candidateScore, obsCount: 9 },
    ...{ firstSeen: noon, lastSeen: noon + 160 * minute, benign: null, threat: null },
    ...change,
  };
}

function openStore() {
  const log = openConnectionLog();
  const store = createBeaconStore(log.db);
  const all = { dismissed: true, benign: true };
  return {
    ...{ log, store },
    /** The last numbers of what is news. */
    async apply(...flows: RegularFlow[]): Promise<string[]> {
      const scan = { at: noon + 9 * minute, groups: 9, regular: flows.length, found: flows, slots: [] };
      let news: string[] = [];
      await store.apply(scan, function* (_, flows) {
        return () => {
          news = flows.map(({ dst }) => dst.slice(10));
        };
      });
      return news;
    },
    listed: (asked = all) => store.list(asked).map(({ dst }) => dst.slice(10)),
    idOf: (last: number) => store.find(found(last))?.id ?? 0,
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}

test('a flow is listed from one score on, and stays down to a lower one', async () => {
  await using desk = openStore();
  const weak = { score: keptScore };
  expect(await desk.apply(found(1), found(2, weak), found(3, { score: candidateScore - 0.001 }))).toEqual(['1']);
  expect(desk.listed()).toEqual(['1']);
  const id = desk.idOf(1);
  expect(await desk.apply(found(1, weak), found(2, weak))).toEqual([]);
  expect(desk.store.list({ dismissed: false, benign: false })).toMatchObject([{ id, score: keptScore }]);
  expect(await desk.apply()).toEqual([]);
  expect(desk.listed()).toEqual([]);
  expect(await desk.apply(found(1))).toEqual(['1']);
  expect(desk.idOf(1)).not.toBe(id);
});

test('figures are those of the last scan; when it was detected stays', async () => {
  await using desk = openStore();
  await desk.log.record([seen({ src: '192.168.1.2', dst: '203.0.113.1' })]);
  await desk.log.describe('destination', '203.0.113.1', { host: 'a.example', country: 'ZZ', org: 'Example Net' });
  await desk.apply(found(1));
  const later = { intervalMs: minute, cov: 0.2, score: 0.9, obsCount: 10, firstSeen: noon + 1, lastSeen: noon + 2 };
  await desk.apply(found(1, { ...later, benign: 'domain' }));
  const { cov, ...figures } = later;
  const shown = {
    ...{ id: desk.idOf(1), src: '192.168.1.2', dst: '203.0.113.1', dport: 443, proto: 'TCP', ...figures },
    ...{ intervalCov: cov, detectedAt: noon + 9 * minute, status: 'candidate', benign: 'domain' },
    ...{ dstHost: 'a.example', country: 'ZZ', org: 'Example Net', threatLevel: 'safe' },
  };
  expect(desk.store.find(found(1))).toEqual(shown);
  for (const [level, threatLevel] of [
    ['warn', 'warn'],
    ['danger', 'danger'],
  ] as const) {
    await desk.log.judge('203.0.113.1', { level });
    expect(desk.store.find(found(1))).toEqual({ ...shown, threatLevel });
  }
  expect(desk.store.find(found(2))).toBeNull();
  expect(desk.store.find({ ...found(1), dport: 80 })).toBeNull();
});

test('what was dismissed is no news again; what was benign is, when it is so no more', async () => {
  await using desk = openStore();
  expect(await desk.apply(found(1), found(2, { benign: 'domain' }), found(3))).toEqual(['1', '3']);
  expect(await desk.store.dismiss(desk.idOf(1), () => {})).toBe(true);
  expect(await desk.store.dismiss(desk.idOf(1), () => {})).toBe(true);
  expect(await desk.store.dismiss(999, () => {})).toBe(false);
  expect(await desk.apply(found(1, { benign: 'domain' }), found(2), found(3))).toEqual(['2']);
  expect(await desk.apply(found(1), found(2))).toEqual([]);
  expect(desk.listed({ dismissed: false, benign: true })).toEqual(['2']);
  expect(await desk.apply(found(2, { benign: 'domain', cov: 0.05 }))).toEqual([]);
  expect(desk.listed()).toEqual(['2', '1']);
  expect(desk.listed({ dismissed: true, benign: false })).toEqual(['1']);
  expect(desk.listed({ dismissed: false, benign: false })).toEqual([]);
});
