// When beacons are looked for, on a real database and its reader threads, with a clock that stands still.
import { expect, test } from 'vitest';
import type { BeaconConfig } from '#contract/beacons.ts';
import { limits } from '#contract/limits.ts';
import { createBeaconStore } from '#hub/analyse/beacons/beacon-store.ts';
import { toSlot } from '#hub/analyse/beacons/packed-starts.ts';
import type { BeaconQueries } from '#hub/analyse/beacons/scan.ts';
import { firstSlotToKeep, startBeaconScans } from '#hub/analyse/beacons/scans.ts';
import { writeStarts } from '#hub/analyse/beacons/start-recorder.ts';
import { windowMs } from '#hub/analyse/beacons/starts.ts';
import { createReaderPool } from '#hub/base/readers/pool.ts';
import { AppError } from '#kernel/errors.ts';
import { noon, openConnectionLog, seen } from '../../../support/connection-log.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const minute = 60_000;
const config: BeaconConfig = {
  ...{ enabled: true, minObs: 8, maxCov: 0.5, minIntervalMs: 20_000, maxIntervalMs: 240 * minute },
  ...{ scanIntervalMs: 60 * minute, whitelistDomains: [], orgAllowlist: [] },
};
const [dst, ntp] = ['203.0.113.80', '203.0.113.123'];

async function openScans() {
  const log = openConnectionLog();
  const begun = noon + 400 * minute;
  const clock = new ManualClock(begun);
  const starts = Array.from({ length: 40 }, (_, index) => ({ at: noon + index * 10 * minute, isExact: true }));
  const flows = [
    { src: '192.168.1.2', dst, dport: 443, proto: 'TCP' },
    { src: '192.168.1.2', dst: ntp, dport: 123, proto: 'UDP' },
  ];
  await log.record(flows.map((flow) => seen({ ...flow, at: noon })));
  await log.db.write((writer) =>
    writeStarts(
      writer,
      flows.map((flow) => ({ ...flow, starts })),
      minute,
    ),
  );
  const pool = createReaderPool<BeaconQueries>({
    ...{
      file: log.db.file,
      module: import.meta.resolve('#hub/start/queries.ts'),
      size: 1,
      cacheKb: 1024,
      maxWaiting: 0,
    },
    refusal: () => new AppError('busy', 'two scans at once'),
  });
  const { log: errors, lines } = collectLog('error');
  const state = { config, asked: [] as number[], news: [] as string[], onAsk: () => {} };
  const scans = startBeaconScans({
    ...{ db: log.db, clock, store: createBeaconStore(log.db), pollMs: minute, config: () => state.config },
    log: errors,
    pool: {
      ask(...question) {
        state.asked.push((clock.now() - begun) / minute);
        state.onAsk();
        return pool.ask(...question);
      },
    },
    onNews: function* (_, news) {
      return () => void state.news.push(...news.map((flow) => flow.dst));
    },
  });
  return {
    ...{ log, clock, begun, scans, state, lines },
    async advance(minutes: number) {
      await clock.advance(minutes * minute);
      await scans.settled();
      await clock.advance(0);
    },
    async [Symbol.asyncDispose]() {
      await scans[Symbol.asyncDispose]();
      await pool[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

test('a scan five minutes after the start, then one each interval, then one for each change of the settings', async () => {
  await using desk = await openScans();
  expect(desk.scans.last()).toBeNull();
  await desk.advance(4);
  expect(desk.state.asked).toEqual([]);
  await desk.advance(1);
  expect(desk.scans.last()).toEqual({ at: desk.begun + 5 * minute, groups: 2, regular: 2, benign: 1 });
  expect(desk.state.news).toEqual([dst]);
  await desk.advance(60);
  expect(desk.state.asked).toEqual([5, 65]);
  await desk.advance(30);
  desk.state.config = { ...config, scanIntervalMs: 10 * minute };
  desk.scans.scanNow();
  await desk.advance(0);
  await desk.advance(10);
  expect(desk.state.asked).toEqual([5, 65, 95, 105]);
  expect(desk.state.news).toEqual([dst]);
  expect(desk.lines).toEqual([]);
});

test('nothing is looked for while it is switched off', async () => {
  await using desk = await openScans();
  desk.state.config = { ...config, enabled: false };
  desk.scans.scanNow();
  await desk.advance(70);
  expect([desk.state.asked, desk.scans.last()]).toEqual([[], null]);
  desk.state.config = config;
  desk.scans.scanNow();
  await desk.advance(0);
  expect(desk.state.news).toEqual([dst]);
});

test('a scan that fails is said, and the next one finds it', async () => {
  await using desk = await openScans();
  const refuse = "CREATE TRIGGER by_test AFTER INSERT ON beacon BEGIN SELECT RAISE(ABORT, 'refused by the test'); END";
  await desk.log.db.write((writer) => void writer.prepare(refuse).run());
  await desk.advance(5);
  const msg = 'the scan for beacons failed; the next one tries again';
  const err = { message: expect.stringContaining('refused by the test') };
  expect(desk.lines).toMatchObject([{ msg, err }]);
  expect([desk.state.news, desk.scans.last()]).toEqual([[], null]);
  await desk.log.db.write((writer) => void writer.prepare('DROP TRIGGER by_test').run());
  await desk.advance(60);
  expect(desk.lines).toHaveLength(1);
  expect(desk.state.news).toEqual([dst]);
});

test('a hub that stops interrupts the scan that runs, begins no other, and says nothing of it', async () => {
  await using desk = await openScans();
  const asked = Promise.withResolvers<void>();
  desk.state.onAsk = asked.resolve;
  desk.scans.scanNow();
  desk.scans.scanNow();
  await asked.promise;
  await desk.scans[Symbol.asyncDispose]();
  await desk.advance(70);
  expect(desk.state.asked).toEqual([0]);
  expect(desk.lines).toEqual([]);
});

test('starts older than the window go; when they take too much room, older slots go first', () => {
  const now = noon + 1;
  const own = toSlot(now);
  const slots = (...bytes: number[]) =>
    bytes.map((size, index) => ({ slot: own - bytes.length + 1 + index, bytes: size }));
  const most = limits.beaconStartBytes;
  const first = toSlot(now - windowMs);
  expect(own - first).toBe(28);
  expect(firstSlotToKeep(slots(...Array.from({ length: 40 }, () => 1)), now)).toBe(first);
  expect(firstSlotToKeep(slots(1, 1), now)).toBe(own - 1);
  expect(firstSlotToKeep(slots(1, most - 2, 1, 1), now)).toBe(own - 2);
  expect(firstSlotToKeep(slots(most, 1), now)).toBe(own);
  expect(firstSlotToKeep(slots(0, most + 1), now)).toBe(own + 1);
  expect(firstSlotToKeep([], now)).toBe(own + 1);
});

test('a scan removes the starts that are older than its window', async () => {
  await using desk = await openScans();
  const old = toSlot(desk.begun + 5 * minute - windowMs) - 1;
  await desk.log.db.write((writer) => {
    const insert = writer.prepare("INSERT INTO session_start (slot, flow_id, starts) VALUES (?, 1, x'0000')");
    insert.run(old);
    insert.run(old + 1);
  });
  await desk.advance(5);
  expect(desk.log.db.prepare('SELECT min(slot) FROM session_start').pluck().get()).toBe(old + 1);
});
