// What keeps the log in order: packing, retention, verdicts that change, and hours of a clock that was ahead.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import type { Threat } from '#contract/model.ts';
import { createHourPacking } from '#hub/record/connections/store/hour-pack.ts';
import { clampHours } from '#hub/record/connections/upkeep/clamp-hours.ts';
import { packHours, startHourPacker } from '#hub/record/connections/upkeep/hour-packer.ts';
import { pruneConnections } from '#hub/record/connections/upkeep/prune.ts';
import { type ChangedVerdict, rejudgeFlows } from '#hub/record/connections/upkeep/rejudge.ts';
import { startRetention } from '#hub/record/connections/upkeep/retention.ts';
import type { Log } from '#kernel/process/log.ts';
import { type ConnectionLog, hour, noon, openConnectionLog } from '../../../support/connection-log.ts';
import { hourRows } from '../../../support/hour-rows.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const day = 24 * hour;
const number = noon / hour;
const count = ({ db }: ConnectionLog, table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
const all = ({ db }: ConnectionLog, sql: string) => db.prepare(sql).raw().all();
const insertHour = 'INSERT INTO flow_hour (hour, flow_id, observations, first, last) VALUES (?, ?, ?, ?, ?)';
/** Flows `first` … `first + flows - 1`, as rows of an hour. */
const addRows = ({ db }: ConnectionLog, at: number, flows: number, first = 1) =>
  db.write((writer) => {
    const insert = writer.prepare(insertHour);
    for (let flow = first; flow < first + flows; flow += 1) {
      insert.run(at, flow, 1, at * hour + 1, at * hour + 2);
    }
  });

test('an hour is packed again when its pack has at most 256 bytes for each row beside it', async () => {
  await using log = openConnectionLog();
  const packing = createHourPacking();
  for (let flow = 1; flow <= 256; flow += 1) {
    packing.add(flow, 1, 1, 2);
  }
  const { flows, spans } = packing.pack();
  expect(flows.length + spans.length).toBe(1024);
  for (const [bytes, rows, isPacked] of [
    [1024, 4, true],
    [1024, 3, false],
    [1025, 4, false],
    [1025, 5, true],
  ] as const) {
    await log.clear();
    await log.db.write((writer) => {
      const put = writer.prepare('INSERT INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)');
      put.run(5, flows, bytes === 1024 ? spans : Buffer.concat([spans, Buffer.from([0])]));
    });
    await addRows(log, 5, rows);
    await packHours(log.db, 6 * hour);
    expect([bytes, rows, count(log, 'flow_hour')]).toEqual([bytes, rows, isPacked ? 0 : rows]);
  }
});

test('hours that have ended are packed whole, the oldest first, however many steps one takes', async () => {
  await using log = openConnectionLog();
  for (const [at, rows] of [
    [5, 499],
    [6, 500],
    [7, 501],
    [8, 1001],
  ] as const) {
    await addRows(log, at, rows);
  }
  const before = hourRows(log.db);
  await packHours(log.db, 7 * hour - 1);
  expect(all(log, 'SELECT hour FROM flow_hour_pack')).toEqual([[5]]);
  await packHours(log.db, 9 * hour, { most: 1 });
  expect(all(log, 'SELECT hour FROM flow_hour_pack')).toEqual([[5], [6]]);
  await packHours(log.db, 9 * hour);
  expect([count(log, 'flow_hour'), hourRows(log.db)]).toEqual([0, before]);
  await addRows(log, 8, 600, 2);
  await packHours(log.db, 9 * hour);
  expect([count(log, 'flow_hour'), hourRows(log.db)]).toEqual([0, before]);
});

test('retention removes whole hours and the flows last seen in them, in steps that may be told to stop', async () => {
  await using log = openConnectionLog();
  const cut = noon - 7 * day;
  for (const [at, rows] of [
    [cut - 30 * hour, 199],
    [cut - 20 * hour, 200],
    [cut - 10 * hour, 201],
    [cut - 1, 2001],
    [cut, 3],
  ] as const) {
    await log.record(
      Array.from({ length: rows }, (_, dport) => ({ dport: dport + (at % 100), dst: `203.0.113.${rows % 250}`, at })),
    );
  }
  for (let ago = 60; ago < 105; ago += 1) {
    await addRows(log, cut / hour - ago, 1);
  }
  await packHours(log.db, cut - 5 * hour);
  const addresses = { observer: 1, first: cut - 3 * day };
  await log.db.write((writer) => {
    const put = writer.prepare(
      'INSERT INTO router_address (observer, address, first_seen, last_seen) VALUES (?, ?, ?, ?)',
    );
    put.run(addresses.observer, '10.0.0.1', addresses.first, cut - 1);
    put.run(addresses.observer, '10.0.0.2', addresses.first, cut);
  });
  const { id } = log.db.prepare('SELECT max(id) AS id FROM flow_change').get() as { id: number };
  const stop = AbortSignal.abort(new Error('the hub stops'));
  await expect(pruneConnections(log.db, cut, stop)).rejects.toThrow('the hub stops');
  expect(count(log, 'flow')).toBe(199 + 200 + 201 + 2001 + 3);
  expect(await pruneConnections(log.db, cut + hour - 1)).toEqual({ flows: 2601, hours: 45 + 4 });
  expect(hourRows(log.db).map((row) => row.hour)).toEqual(Array(3).fill(cut / hour));
  expect([count(log, 'flow'), all(log, 'SELECT address FROM router_address')]).toEqual([3, [['10.0.0.2']]]);
  const named = all(log, `SELECT sum(length(flows)) / 4 FROM flow_change WHERE id > ${id}`);
  expect(named).toEqual([[2601]]);
});

function startScene() {
  const log = openConnectionLog();
  const lines: unknown[][] = [];
  const clock = new ManualClock(noon + 40 * day);
  const write = (...line: unknown[]) => void lines.push(line);
  return { log, lines, clock, told: { info: write, error: write } as unknown as Log };
}

function* noSteps() {
  yield;
}

test('packing and retention begin soon after a start and are repeated; what was removed is told', async () => {
  const { log, lines, clock, told } = startScene();
  await using _ = log;
  await log.record([{ at: noon }]);
  const packed = () => count(log, 'flow_hour_pack');
  {
    await using __ = startHourPacker({ db: log.db, clock, log: told });
    await clock.advance(limits.hourPackFirstMs - 1);
    expect(packed()).toBe(0);
    await clock.advance(1);
    await expect.poll(packed).toBe(1);
    for (let one = 0; one < 50; one += 1) {
      await addRows(log, number + 1 + one, 1);
    }
    await clock.advance(limits.hourPackEveryMs);
    await expect.poll(packed).toBe(1 + 48);
  }
  const flows = () => count(log, 'flow');
  const days = { of: 41 };
  await using __ = startRetention({
    ...{ db: log.db, clock, log: told, keptSince: () => clock.now() - days.of * day, limitBytes: () => 0 },
    forgetCoverage: noSteps,
  });
  await clock.advance(limits.retentionFirstMs);
  expect([flows(), lines]).toEqual([1, []]);
  days.of = 37;
  await clock.advance(limits.retentionEveryMs);
  await expect.poll(flows).toBe(0);
  await expect.poll(() => lines.length).toBe(1);
  expect(lines).toEqual([[expect.objectContaining({ flows: 1 }), 'connections older than the retention were removed']]);
  await clock.advance(limits.retentionEveryMs);
  expect(lines).toHaveLength(1);
});

const threat = (matchValue: string, level: Threat['level'] = 'warn'): Threat => ({
  ...{ level, confidence: 'low', source: 'feed_c2', tag: null, matchType: 'ip', matchValue, port: null, url: null },
});

test('flows are judged page by page: each change is noted once, with what it was before', async () => {
  await using log = openConnectionLog();
  const of = (dst: string, ports: number) => Array.from({ length: ports }, (_, dport) => ({ dst, dport }));
  const sizes = { '203.0.113.1': 199, '203.0.113.2': 200, '203.0.113.3': 201, '203.0.113.4': 2100 };
  await log.record(Object.entries(sizes).flatMap(([dst, ports]) => of(dst, ports)));
  const noted: ChangedVerdict[] = [];
  const noter = () => (flow: ChangedVerdict) => void noted.push(flow);
  const run = (destinations: readonly string[] | 'all', judge: Parameters<typeof rejudgeFlows>[1]['judge']) => {
    noted.length = 0;
    return rejudgeFlows(log.db, { judge, destinations, noter });
  };
  const list = ({ dst, dport }: { dst: string; dport: number }) => (dport % 2 === 0 ? threat(dst) : null);
  const evens = (ports: number) => Math.ceil(ports / 2);
  const first = await run(['192.0.2.1', '203.0.113.3', '203.0.113.1'], list);
  expect([first.judged, first.changed, first.threats.count, noted.length]).toEqual([400, ...Array(3).fill(101 + 100)]);
  const total = 199 + 200 + 201 + 2100;
  const second = await run('all', list);
  expect([second.judged, second.changed, noted.length]).toEqual([total, 100 + 1050, 100 + 1050]);
  expect(second.threats.first[0]).toEqual({
    ...{ src: '192.168.1.2', dst: '203.0.113.2', dport: 0, proto: 'TCP', threat: threat('203.0.113.2') },
  });
  expect(count(log, 'threat')).toBe(4);
  const third = await run(['203.0.113.2'], ({ dst, dport }) => (dport === 0 ? threat(dst, 'danger') : null));
  expect([third.judged, third.changed, third.threats.count]).toEqual([200, evens(200), 1]);
  const ids = all(log, 'SELECT id, source_id, destination_id FROM flow WHERE destination_id = 2 AND dport IN (0, 2)');
  const [[zero, sourceId, destinationId], [two]] = ids as number[][] as [number[], number[]];
  expect(noted.filter(({ id }) => id === zero || id === two)).toEqual([
    { id: zero, sourceId, destinationId, firstSeen: noon, rankBefore: 1, threat: threat('203.0.113.2', 'danger') },
    { id: two, sourceId, destinationId, firstSeen: noon, rankBefore: 1, threat: null },
  ]);
  expect(all(log, 'SELECT match_value, level FROM threat ORDER BY 1')).toEqual(
    Object.keys(sizes).map((dst) => [dst, dst.endsWith('2') ? 2 : 1]),
  );
  const { changed } = await run('all', () => null);
  expect([changed, noted.filter(({ rankBefore }) => rankBefore === 2).length, count(log, 'threat')]).toEqual([
    ...[100 + 101 + 1050 + 1, 1, 0],
  ]);
  const stop = AbortSignal.abort(new Error('the hub stops'));
  const again = await rejudgeFlows(log.db, { judge: list, destinations: ['203.0.113.1'] });
  expect(again).toMatchObject({ judged: 199, changed: 100 });
  const stopped = rejudgeFlows(log.db, { judge: list, destinations: 'all', signal: stop });
  await expect(stopped).rejects.toThrow('the hub stops');
});

const seenAt = fc.record({
  flow: fc.integer({ min: 1, max: 5 }),
  at: fc.integer({ min: -3, max: 3 }),
  first: fc.nat(59),
  last: fc.nat(59),
});
const sightings = fc.uniqueArray(seenAt, { selector: ({ flow, at }) => `${flow} ${at}`, maxLength: 14 });

test('hours ahead of the clock are added to the one that runs, and no sighting is later than now', async () => {
  await using log = openConnectionLog();
  const minute = 60_000;
  const instants = { now: noon + 30 * minute };
  await fc.assert(
    fc.asyncProperty(sightings, fc.constantFrom(-3, -2, 2), async (rows, packedTo) => {
      await log.clear();
      await log.db.write((writer) => {
        const put = writer.prepare(insertHour);
        for (const { flow, at, first, last } of rows) {
          const start = noon + at * hour;
          const [a, b] = [Math.min(first, last), Math.max(first, last)];
          put.run(number + at, flow, flow + 1, start + a * minute, start + b * minute);
        }
      });
      await packHours(log.db, noon + (packedTo + 1) * hour);
      const before = hourRows(log.db);
      const moved = await log.db.write((writer) => clampHours(writer, instants.now));
      const ahead = before.filter(({ hour: at, last }) => at > number || (at === number && last > instants.now));
      const flows = [...new Set(ahead.map(({ flow }) => flow))];
      expect(moved).toBe(flows.length);
      const kept = before.filter((row) => row.hour < number || (row.hour === number && !flows.includes(row.flow)));
      const clamped = flows.map((flow) => {
        const own = before.filter((row) => row.flow === flow && row.hour >= number);
        const observations = own.reduce((sum, row) => sum + row.observations, 0);
        const first = Math.min(instants.now, ...own.map((row) => row.first));
        return { hour: number, flow, observations, first, last: instants.now };
      });
      const inOrder = [...kept, ...clamped].sort((a, b) => a.hour - b.hour || a.flow - b.flow);
      expect(hourRows(log.db)).toEqual(inOrder);
      expect(all(log, 'SELECT flows, total FROM flow_change')).toEqual([[null, 0]]);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

test('more hours ahead than one step takes are all moved', async () => {
  await using log = openConnectionLog();
  await addRows(log, number + 1, 500);
  await addRows(log, number + 2, 501);
  expect(await log.db.write((writer) => clampHours(writer, noon + 5))).toBe(501);
  expect(hourRows(log.db)).toEqual(
    Array.from({ length: 501 }, (_, at) => ({
      ...{ hour: number, flow: at + 1, observations: at < 500 ? 2 : 1, first: noon + 5, last: noon + 5 },
    })),
  );
});
