// The parts that a batch is written with: change log, packs in memory, observers, labels of sources, verdicts, translations.
import { expect, test } from 'vitest';
import type { Threat } from '#contract/model.ts';
import { writeEnds } from '#hub/record/connections/record/end-writer.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { writeTranslated } from '#hub/record/connections/record/translation-writer.ts';
import { createFlowChanges, readChanges } from '#hub/record/connections/store/change-log.ts';
import { createSample } from '#hub/record/connections/store/facts.ts';
import { createHourPacking } from '#hub/record/connections/store/hour-pack.ts';
import { createHourFinder, findFirstHour, findHours } from '#hub/record/connections/store/hour-rows.ts';
import { createObservers } from '#hub/record/connections/store/observer-set.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import { toPacketTimes } from '#hub/record/connections/store/uncertainty.ts';
import { compareSeverity, createThreatInterner } from '#hub/record/connections/store/verdicts.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import {
  type ConnectionLog,
  hour,
  noon,
  openConnectionLog,
  openReader,
  seen,
} from '../../../support/connection-log.ts';

const all = ({ db }: ConnectionLog, sql: string) => db.prepare(sql).raw().all();

test('a change log names flows and hours once, keeps a million, and says when a reader must read all', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  const save = (flows: readonly number[], rows: readonly (readonly [number, number])[] = []) =>
    log.db.write((writer) => {
      const changes = createFlowChanges(writer, 7);
      flows.forEach(changes.changed);
      for (const [hour, flow] of rows) {
        changes.touched(hour, flow);
      }
      changes.save();
    });
  const since = (position: number | null) => readChanges(reader, position);
  const start = since(null);
  expect(start.changes).toBeNull();
  await save([]);
  expect(since(start.position)).toEqual({ position: start.position, changes: [] });
  await save(
    [1, 2],
    [
      [7, 2],
      [7, 1],
      [6, 2],
    ],
  );
  const { position, changes } = since(start.position);
  const [change] = changes ?? [];
  expect([changes?.length, [...(change?.flows ?? [])], change?.hour, [...(change?.rows ?? [])]]).toEqual([
    ...[1, [1, 2], 7],
    [7, 1, 6, 2],
  ]);
  expect(since(position + 1)).toEqual({ position, changes: null });
  const totals = () => all(log, 'SELECT total FROM flow_change ORDER BY id').flat();
  await log.db.write((writer) => void writer.prepare('UPDATE flow_change SET total = 6').run());
  await log.db.write(
    (writer) => void writer.prepare("INSERT INTO flow_change (flows, total) VALUES (x'', 1000004)").run(),
  );
  await save([3]);
  expect(totals()).toEqual([6, 1_000_004, 1_000_005]);
  await save([4]);
  expect(totals()).toEqual([1_000_004, 1_000_005, 1_000_006]);
  expect([since(position).changes?.length, since(start.position).changes]).toEqual([3, null]);
  await log.db.write((writer) => void writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run());
  expect(since(position).changes).toBeNull();
});

test('a sample counts everything and holds the first 500', () => {
  const sample = createSample<number>();
  for (let one = 0; one < 501; one += 1) {
    sample.add(one);
  }
  expect(sample.sample()).toEqual({ count: 501, first: Array.from({ length: 500 }, (_, one) => one) });
});

test('hours are found in packs and beside them, and a million unpacked rows stay in memory', async () => {
  await using log = openConnectionLog();
  expect([findFirstHour(log.db), findHours(log.db, 0, 10 ** 9)]).toEqual([null, []]);
  const number = noon / hour;
  await log.record([{ at: noon }]);
  expect(findFirstHour(log.db)).toBe(noon);
  await packHours(log.db, noon + hour);
  expect(findFirstHour(log.db)).toBe(noon);
  await log.record([{ at: noon - 2 * hour }, { dport: 1, at: noon }], { now: noon + hour });
  expect(findFirstHour(log.db)).toBe(noon - 2 * hour);
  expect(findHours(log.db, number - 2, number)).toEqual([number - 2, number]);
  expect([findHours(log.db, number - 1, number), findHours(log.db, number - 2, number - 1)]).toEqual([
    [number],
    [number - 2],
  ]);
  const packing = createHourPacking();
  for (let flow = 1; flow <= 400_000; flow += 1) {
    packing.add(flow, 1, 0, 5);
  }
  const { flows, spans } = packing.pack();
  await log.db.write((writer) => {
    for (const at of [1, 2, 3]) {
      writer.prepare('INSERT INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)').run(at, flows, spans);
    }
  });
  const read: unknown[] = [];
  const find = createHourFinder({
    prepare: (sql) => {
      const statement = log.db.prepare(sql);
      const get = (...given: unknown[]) => {
        read.push(...(sql.includes('flow_hour_pack') ? given : []));
        return statement.get(...given);
      };
      return Object.assign(Object.create(statement), { get });
    },
  });
  for (const at of [1, 2, 1, 4, 4, 3, 2, 3, 1]) {
    expect(find(at, 400_000)).toEqual(at === 4 ? null : { observations: 1, first: 0, last: 5 });
  }
  expect(read).toEqual([1, 2, 4, 3, 1]);
});

test('who is known as an observer is a router or an Agent that was one, or a router that is set up', async () => {
  await using log = openConnectionLog();
  await log.record([{}], { routerId: 'r1' });
  await log.record([{}], { routerId: 'desk', kind: 'agent' });
  const { isKnown } = createObservers(log.db, () => [{ id: 'idle' }]);
  const known = (['router', 'agent'] as const).map((kind) =>
    ['r1', 'desk', 'idle', 'no'].map((id) => isKnown(kind, id)),
  );
  expect(known).toEqual([
    [true, false, true, false],
    [false, true, false, false],
  ]);
});

test('labels of a source are written once; without a device it is told by its router, or when it is old enough', async () => {
  await using log = openConnectionLog();
  const [one, other] = ['192.168.1.2', '192.168.1.3'];
  await log.record(
    [
      { src: one, at: noon },
      { src: other, at: noon + 5 },
    ],
    { routerId: 'r1' },
  );
  await log.record([{ src: other, at: noon + 9 }], { routerId: 'r2' });
  await log.db.write((writer) => {
    const labels = createSourceLabels(writer);
    const told = (observerId: string, before: number) =>
      labels.unknown(observerId, before).map(({ address, firstSeen, lastSeen }) => [address, firstSeen, lastSeen]);
    const both = [
      [one, noon, noon],
      [other, noon + 5, noon + 9],
    ];
    expect([told('r1', 0), told('r2', 0), told('r3', noon), told('r3', noon - 1)]).toEqual([
      both,
      both.slice(1),
      both.slice(0, 1),
      [],
    ]);
    writer.prepare('DELETE FROM flow WHERE source_id = (SELECT id FROM source WHERE address = ?)').run(other);
    expect(told('r3', noon + 5)).toEqual([both[0], [other, noon + 5, noon + 5]]);
    labels.describe(one, { mac: '02:00:5e:10:00:01', vendor: 'Acme', dnsName: 'd', mdnsName: 'm', deviceId: 'x' });
    labels.handOver(one, noon + 3);
    labels.describe('192.168.1.9', { mac: null, vendor: null, dnsName: null, mdnsName: null, deviceId: 'y' });
    expect(told('r3', noon + 5)).toEqual([[other, noon + 5, noon + 5]]);
  });
  expect(all(log, 'SELECT mac, vendor, dns_name, mdns_name, device_id, held_since FROM source ORDER BY id')).toEqual([
    ['02:00:5e:10:00:01', 'Acme', 'd', 'm', 'x', noon + 3],
    [null, null, null, null, null, null],
  ]);
});

const threat: Threat = {
  ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: null, matchType: 'ip', matchValue: '1' },
  ...{ port: null, url: null },
};

test('verdicts are ordered by level, confidence and text, and an equal one is one row', async () => {
  const inOrder: Threat[] = [
    threat,
    { ...threat, matchValue: '2' },
    { ...threat, source: 'feed_ioc' },
    { ...threat, confidence: 'low' },
    { ...threat, level: 'warn' },
    { ...threat, level: 'warn', confidence: 'low' },
  ];
  for (const [at, one] of inOrder.entries()) {
    for (const [otherAt, other] of inOrder.entries()) {
      expect(Math.sign(compareSeverity(one, { ...other }))).toBe(Math.sign(at - otherAt));
    }
  }
  await using log = openConnectionLog();
  await log.db.write((writer) => {
    const first = createThreatInterner(writer);
    const ids = [first(threat), first({ ...threat, tag: '', url: '' }), first({ ...threat, port: 1 }), first(null)];
    expect(ids).toEqual([1, 1, 2, null]);
    expect([createThreatInterner(writer)(threat), createThreatInterner(writer)({ ...threat, port: 1 })]).toEqual([
      1, 2,
    ]);
  });
  expect(all(log, 'SELECT level, tag, port, url FROM threat')).toEqual([
    [2, null, null, null],
    [2, null, 1, null],
  ]);
});

test('evidence that this program does not know is refused, and nothing is said without all of it', () => {
  const row = { first: 5, last: 9, firstEarly: null, firstLate: 0, lastEarly: null, lastLate: 0, seenBy: 0x12 };
  expect(toPacketTimes(row)).toMatchObject({ first: { by: 'entry_age' }, last: { by: 'entry_timer' } });
  for (const missing of ['firstLate', 'lastLate', 'seenBy']) {
    expect(toPacketTimes({ ...row, [missing]: null })).toBeNull();
  }
  expect(() => toPacketTimes({ ...row, seenBy: 0x15 })).toThrow('flow.seen_by holds 5, which is no evidence');
});

test('a translation is written once an hour, or when it leads elsewhere; of addresses a router has 64', async () => {
  await using log = openConnectionLog();
  const { src, dst, dport, proto } = seen();
  const inner = { src, dst, dport, proto };
  const outer = { ...inner, src: '10.0.0.1' };
  await log.record([inner], { routerId: 'in' });
  await log.record([outer, { ...outer, dport: 80 }], { routerId: 'out' });
  const session = { sport: 1, port: 2, beyondAddress: '10.9.9.9', beyondPort: 3 };
  const link = { inner, innerRouter: 'in', outer, outerRouter: 'out', ...session };
  const write = (at: number, links: readonly (typeof link)[], addresses: readonly string[] = ['10.0.0.1']) =>
    log.db.write((writer) => {
      const steps = [...writeTranslated(writer, { routerId: 'in', addresses, links, at })];
      return steps.length;
    });
  const links = () => all(log, 'SELECT outer_flow, seen_at - 1790000000000, port, beyond_port FROM flow_link');
  const addresses = () => all(log, 'SELECT first_seen - 1790000000000, last_seen - 1790000000000 FROM router_address');
  const start = 1_790_000_000_000;
  expect(await write(start, [link, { ...link, inner: { ...inner, dport: 9 } }])).toBe(0);
  expect([links(), addresses()]).toEqual([[[2, 0, 2, 3]], [[0, 0]]]);
  await write(start + hour - 1, [{ ...link, port: 7 }]);
  expect([links(), addresses()]).toEqual([[[2, 0, 2, 3]], [[0, 0]]]);
  await write(start + hour, [{ ...link, port: 7 }]);
  expect([links(), addresses()]).toEqual([[[2, hour, 7, 3]], [[0, hour]]]);
  await write(start + hour + 1, [{ ...link, outer: { ...outer, dport: 80 } }]);
  expect(links()).toEqual([[3, hour + 1, 2, 3]]);
  await write(
    start,
    [],
    Array.from({ length: 65 }, (_, at) => `10.1.0.${at}`),
  );
  expect(addresses()).toHaveLength(1 + 64);
  expect([await write(start, Array(127).fill(link)), await write(start, Array(256).fill(link))]).toEqual([0, 2]);
});

test('a batch listens for an abort after each 128 flows, and its ends let others work after each 256', async () => {
  await using log = openConnectionLog();
  const rows = (count: number) => Array.from({ length: count }, (_, dport) => ({ dport }));
  const record = (count: number) => {
    const stop = new AbortController();
    const onChanged = () => stop.abort(new Error('the hub stops'));
    const observations = rows(count).map(seen);
    const batch = { routerId: 'r1', kind: 'vendor_a', observations, now: noon, onChanged } as const;
    return recordObservations(log.db, { ...batch, signal: stop.signal });
  };
  await expect(record(128)).rejects.toThrow('the hub stops');
  expect(all(log, 'SELECT count(*) FROM flow')).toEqual([[0]]);
  expect(await record(127)).toMatchObject({ added: 127 });
  await expect(record(0)).resolves.toEqual({ added: 0, renewed: 0, unchanged: 0 });
  await log.db.write((writer) => {
    const turns = (isAll: boolean, flows: number) => {
      const { src, dst, proto } = seen();
      const ended = rows(flows).map((row) => ({ src, dst, proto, ...row, isListed: true }));
      return [...writeEnds(writer, 1, { at: noon, isAll, flows: ended })].length;
    };
    expect([turns(false, 255), turns(false, 256), turns(true, 0), turns(true, 0)]).toEqual([0, 1, 1, 1]);
    writer.prepare('DELETE FROM flow').run();
    expect(turns(true, 0)).toBe(0);
    writer.prepare('DELETE FROM observer_set').run();
    expect(turns(true, 0)).toBe(0);
  });
});

test('every flow that a router listed has ended when nobody remembers its sessions, however many there are', async () => {
  await using log = openConnectionLog();
  const times = { from: null, to: noon, by: 'entry_timer' as const };
  const rows = Array.from({ length: 5002 }, (_, dport) => ({ dport, times: { first: times, last: times } }));
  await log.record(rows, { routerId: 'r1' });
  const { observations, ends } = { observations: [], ends: { at: noon + 9, isAll: true, flows: [] } };
  const batch = { routerId: 'r1', kind: 'vendor_a', observations, now: noon + 9 } as const;
  await recordObservations(log.db, { ...batch, ends });
  expect(all(log, 'SELECT last_late, listed_by, count(*) FROM flow GROUP BY 1, 2')).toEqual([[9, null, 5002]]);
});
