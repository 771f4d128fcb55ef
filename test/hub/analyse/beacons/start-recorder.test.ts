// Starts of sessions in a real database: what counts as one contact, what has a bound, and what leaves it.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { type Start, slotMs, toSlot, unpackStarts } from '#hub/analyse/beacons/packed-starts.ts';
import { pruneStarts } from '#hub/analyse/beacons/scans.ts';
import { isWorthKeeping, writeStarts } from '#hub/analyse/beacons/start-recorder.ts';
import { type ConnectionLog, noon, openConnectionLog, seen } from '../../../support/connection-log.ts';

const minute = 60_000;
const flow = { src: '192.168.1.2', dst: '203.0.113.80', dport: 443, proto: 'TCP' };

async function record(log: ConnectionLog, isExact: boolean, ...times: number[]): Promise<void> {
  const starts = times.map((at) => ({ at, isExact }));
  await log.db.write((writer) => writeStarts(writer, [{ ...flow, starts }], minute));
}

function stored({ db }: ConnectionLog): Start[] {
  const rows = db.prepare('SELECT slot, starts FROM session_start ORDER BY slot').all();
  return (rows as { slot: number; starts: Uint8Array }[]).flatMap(({ slot, starts }) => unpackStarts(slot, starts));
}

test('two routers that tell the age of the same session tell one contact', async () => {
  await using log = openConnectionLog();
  await log.record([seen(flow)]);
  await record(log, true, noon, noon + 1000);
  await record(log, true, noon + 40_000, noon + 2000, noon + 20_000);
  expect(stored(log)).toEqual([
    { at: noon, isExact: true },
    { at: noon + 20_000, isExact: true },
    { at: noon + 40_000, isExact: true },
  ]);
});

test('sessions of one poll are several; another router a few seconds later shows them again', async () => {
  await using log = openConnectionLog();
  await log.record([seen(flow)]);
  await record(log, false, noon, noon);
  await record(log, false, noon + 6000);
  await record(log, false, noon + minute);
  expect(stored(log).map(({ at }) => at)).toEqual([noon, noon, noon + minute]);
});

test('a flow has a bound in each slot, and what is not in the log is left out', async () => {
  await using log = openConnectionLog();
  await log.record([seen(flow)]);
  const slot = toSlot(noon);
  const many = Array.from({ length: 1000 }, (_, index) => slot * slotMs + index * 20_000);
  await record(log, true, ...many);
  await record(log, true, (slot + 1) * slotMs);
  const unknown = { ...flow, dport: 80, starts: [{ at: noon, isExact: true }] };
  await log.db.write((writer) => writeStarts(writer, [unknown], minute));
  expect(stored(log)).toHaveLength(limits.beaconStartsPerSlot + 1);
});

test('slots before the first one to keep are removed, however many rows they have', async () => {
  await using log = openConnectionLog();
  await log.db.write((writer) => {
    const insert = writer.prepare("INSERT INTO session_start (slot, flow_id, starts) VALUES (?, ?, x'0000')");
    for (const slot of [1, 2, 3]) {
      for (let id = 1; id <= 700; id += 1) {
        insert.run(slot, id);
      }
    }
  });
  await pruneStarts(log.db, 3, new AbortController().signal);
  expect(log.db.prepare('SELECT DISTINCT slot FROM session_start').all()).toEqual([{ slot: 3 }]);
  expect(log.db.prepare('SELECT count(*) AS rows FROM session_start').get()).toEqual({ rows: 700 });
});

test.each([
  ['203.0.113.80', true],
  ['2001:db8::1', true],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['224.0.0.251', false],
  ['fe80::1', false],
  ['fd00::1', false],
])('regular contacts with %s are of interest: %s', (dst, isOfInterest) => {
  expect(isWorthKeeping({ ...flow, dst, starts: [{ at: noon, isExact: true }] })).toBe(isOfInterest);
  expect(isWorthKeeping({ ...flow, dst, starts: [] })).toBe(false);
});
