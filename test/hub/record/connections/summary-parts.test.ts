// The parts of a summary against plain models: aggregates, edges, runs, late hours, guesses, labels, and when all is read anew.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFlowChanges } from '#hub/record/connections/store/change-log.ts';
import { GroupAggregates } from '#hub/record/connections/summary/aggregates.ts';
import { apps, guessApp, guessWebApp } from '#hub/record/connections/summary/app-guess.ts';
import { EdgeAggregates } from '#hub/record/connections/summary/edges.ts';
import { applyChanges } from '#hub/record/connections/summary/index/apply-changes.ts';
import { createColumns, type FlowRow, growColumns, putFlow } from '#hub/record/connections/summary/index/columns.ts';
import { DeltaHours } from '#hub/record/connections/summary/index/delta-hours.ts';
import { Interner } from '#hub/record/connections/summary/index/interner.ts';
import { walkRowsTo, walkRuns } from '#hub/record/connections/summary/index/runs.ts';
import { updateFlowStore } from '#hub/record/connections/summary/index/store.ts';
import { readDestinations } from '#hub/record/connections/summary/labels.ts';
import { queries } from '#hub/record/connections/summary/queries.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hour, noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { createDice } from '../../../support/random-log.ts';

const none = { count: 0, firstSeen: Number.POSITIVE_INFINITY, lastSeen: 0 };

test('aggregates of many groups are those of a map, also after one was emptied or added to another', () => {
  const step = fc.record({
    ...{ what: fc.constantFrom('add' as const, 'add' as const, 'clear' as const, 'addAll' as const) },
    ...{
      group: fc.nat(40),
      flows: fc.integer({ min: 1, max: 9 }),
      first: fc.nat(99),
      last: fc.nat(99),
      ttl: fc.integer({ min: -1, max: 9 }),
    },
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const made = new GroupAggregates(3);
      const sums = new GroupAggregates(41);
      const [known, summed] = [
        new Map<number, typeof none & { ttl: number }>(),
        new Map<number, typeof none & { ttl: number }>(),
      ];
      const join = (to: typeof known, group: number, one: typeof none & { ttl: number }) => {
        const old = to.get(group) ?? { ...none, ttl: -1 };
        to.set(group, {
          count: old.count + one.count,
          firstSeen: Math.min(old.firstSeen, one.firstSeen),
          lastSeen: Math.max(old.lastSeen, one.lastSeen),
          ttl: Math.max(old.ttl, one.ttl),
        });
      };
      for (const { what, group, flows, first, last, ttl } of steps) {
        if (what === 'add' || !known.has(group)) {
          made.add(group, flows, first, last, ttl);
          join(known, group, { count: flows, firstSeen: first, lastSeen: last, ttl });
        } else if (what === 'clear') {
          made.clear(group);
          known.set(group, { ...none, ttl: -1 });
        } else {
          sums.addAll(flows, made, group);
          join(summed, flows, known.get(group) ?? { ...none, ttl: -1 });
        }
      }
      for (const [aggregates, model] of [
        [made, known],
        [sums, summed],
      ] as const) {
        const counts = aggregates.counts();
        for (const [group, { ttl, ...one }] of model) {
          expect(aggregates.get(group)).toEqual(one);
          expect([counts[group], aggregates.maxTtl(group)]).toEqual([one.count, ttl < 0 ? null : ttl]);
        }
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(
          [...model.values()].reduce((sum, { count }) => sum + count, 0),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test('of thousands of edges those that may be among the largest are stored, with what they are made of', () => {
  const dice = createDice(3);
  const others = new GroupAggregates(1);
  const edges = new EdgeAggregates(1200);
  const made = Array.from({ length: 5000 }, (_, at) => ({ at, flows: 1 + dice.skewed(300) }));
  for (const { at, flows } of made) {
    others.clear(0);
    others.add(0, flows, at, at + 1, -1);
    edges.add(at, at + 7, flows, others, 0, at % 3 === 0 ? at : undefined);
  }
  const stored = Array.from({ length: edges.count }, (_, edge) => ({
    ...{ at: edges.source(edge), target: edges.target(edge), rank: edges.mostSevere.get(edge) },
    ...edges.aggregates.get(edge),
  }));
  expect(edges.count).toBeLessThan(4500);
  const expected = (at: number, flows: number) => ({
    ...{ at, target: at + 7, rank: at % 3 === 0 ? at : undefined, count: flows, firstSeen: at, lastSeen: at + 1 },
  });
  expect(stored).toEqual(stored.map(({ at }) => expected(at, made[at]?.flows ?? 0)));
  const least = made.map(({ flows }) => flows).sort((a, b) => b - a)[1199] ?? 0;
  const wanted = made.filter(({ flows }) => flows >= least).map(({ at }) => at);
  expect(wanted.filter((at) => !stored.some((one) => one.at === at))).toEqual([]);
});

test('runs are the rows of each destination, target after target; those to wanted destinations alone when asked', () => {
  const number = fc.nat(5);
  fc.assert(
    fc.property(fc.array(number, { maxLength: 12 }), fc.array(fc.nat(7), { maxLength: 12 }), (main, delta) => {
      const destinations = new Interner();
      for (let id = 0; id < 8; id += 1) {
        destinations.intern(100 + id);
      }
      const sorted = [...main].sort((a, b) => a - b);
      const starts = Uint32Array.from({ length: 7 }, (_, one) => sorted.filter((other) => other < one).length);
      const [mainLength, length] = [sorted.length, sorted.length + delta.length];
      const deltaDestination = Uint32Array.from([...delta, 9, 9]);
      const store = { mainLength, length, starts, deltaDestination, destinations };
      const target = Uint32Array.from({ length: 8 }, (_, one) => (one * 3) % 4);
      const runs = [...walkRuns(store, target, 4)];
      const rows = runs.flatMap(({ start, end, ...run }) =>
        Array.from({ length: end - start }, (_, at) => ({ ...run, row: start + at })),
      );
      const all = [...sorted, ...delta].map((destination, row) => ({ destination, target: target[destination], row }));
      const order = all.sort(
        (a, b) => (a.target ?? 0) - (b.target ?? 0) || a.destination - b.destination || a.row - b.row,
      );
      expect(rows).toEqual(order);
      const flat = (wanted: ((id: number) => boolean) | null) =>
        [...walkRowsTo(store, wanted)].flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, at) => start + at),
        );
      const ascending = (found: number[]) => found.sort((a, b) => a - b);
      expect(flat(null)).toEqual(Array.from({ length }, (_, row) => row));
      const even = order.filter(({ destination }) => destination % 2 === 0).map(({ row }) => row);
      expect(ascending(flat((id) => id % 2 === 0))).toEqual(ascending(even));
    }),
    { numRuns: 150 },
  );
  const many = new Interner();
  const ids = Array.from({ length: 3000 }, (_, at) => (at * 7919) % 3001);
  expect(ids.map((id) => many.intern(id))).toEqual(ids.map((_, at) => at));
  expect([many.count, [...many.ids], many.intern(ids[5] as number)]).toEqual([3000, ids, 5]);
});

test('late hours replace those before, and come by row and hour', () => {
  const hours = new DeltaHours();
  const row = { observations: 1, first: 2, last: 3 };
  hours.replaceRow(8, 5, row);
  hours.replaceRow(8, 6, row);
  hours.replaceRow(8, 5, { ...row, observations: 4 });
  for (const flows of [
    [5, 6, 7],
    [7, 9],
  ]) {
    hours.replaceHour(9, (rows) => {
      rows.length = 0;
      for (const flow of flows) {
        rows.add(flow, flow, 1, 2);
      }
    });
  }
  hours.replaceHour(7, (rows) => rows.add(7, 1, 0, 0));
  expect(hours.count).toBe(2 + 2 + 1);
  const { row: rows, hour: at, observations, first, last } = hours.listEntries((flow) => (flow === 6 ? -1 : 10 - flow));
  const columns = [rows, at, observations, first, last].map((column) => [...column]);
  expect(columns).toEqual([
    [1, 3, 3, 5],
    [9, 7, 9, 8],
    [9, 1, 7, 4],
    [1, 0, 1, 2],
    [2, 0, 2, 3],
  ]);
});

test.each([
  ['web', [80, 443, 8080, 8443]],
  ['dns', [53, 853]],
  ['time', [123]],
  ['mail', [25, 110, 143, 465, 587, 993, 995]],
  ['remote access', [22, 23, 3389, 5900]],
  ['files', [20, 21, 445, 873, 2049]],
  ['iot', [1883, 8883, 5683]],
  ['calls', [3478, 5060, 19_302]],
  ['push', [5222, 5228]],
  ['vpn', [500, 51_820]],
  ['streaming', [554, 1935]],
  ['peer to peer', [6881, 6889]],
  ['other', [1, 444, 65_535]],
])('%s is guessed from ports of TCP and UDP alone', (app, ports) => {
  const guess = (port: number, proto: string) => apps[guessApp(port, proto)];
  for (const port of ports) {
    expect(['TCP', 'UDP', 'GRE', 'ICMP', 'ICMPV6'].map((proto) => guess(port, proto))).toEqual([
      ...[app, app, 'other', 'ping', 'ping'],
    ]);
  }
});

test('the first label of a host says what its web traffic is, without the digits behind it', () => {
  const guesses = {
    ...{ mail: 'mail', imap: 'mail', smtp: 'mail', dns: 'dns', doh: 'dns', ntp: 'time', mqtt: 'iot', stun: 'calls' },
    ...{ turn: 'calls', push: 'push', vpn: 'vpn', video: 'streaming', stream: 'streaming' },
    ...{ www: 'web', 'mail-1': 'web', mail1a: 'web', '': 'web' },
  };
  const guess = (host: string | null) => apps[guessWebApp(host)];
  for (const [label, app] of Object.entries(guesses)) {
    expect([label, `${label.toUpperCase()}17.mail.example`, `www.${label}.example`].map(guess)).toEqual([
      app,
      app,
      'web',
    ]);
  }
  expect(guess(null)).toBe('web');
});

test('names of targets that are no longer used are dropped when there are twice as many as destinations and 1,024', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  await log.record([{ dst: '203.0.113.1' }, { dst: '203.0.113.2' }]);
  const { rename } = { rename: (org: number) => log.describe('destination', '203.0.113.1', { org: `org ${org}` }) };
  const names = () => readDestinations(reader).targets.length;
  expect(names()).toBe(2);
  for (let org = 1; org <= 2 * 2 + 1024 - 2; org += 1) {
    await rename(org);
    names();
  }
  expect(names()).toBe(2 * 2 + 1024);
  await rename(2000);
  expect(names()).toBe(2 * 2 + 1024 + 1);
  expect(names()).toBe(2);
});

test('more sets of observers than a column holds are refused, and columns grow with what they hold', () => {
  const columns = createColumns(1);
  const flow: FlowRow = [1, 2, 3, 65_535, 443, 'TCP', null, 5, 1_700_000_000_999, 1_700_000_001_001];
  putFlow(columns, 0, flow);
  growColumns(columns, 1);
  expect(columns.source).toHaveLength(1);
  growColumns(columns, 9);
  expect(columns.source).toHaveLength(12);
  expect(Object.values(columns).map((column) => column[0])).toEqual([
    ...[2, 65_535, 128 + guessApp(443, 'TCP'), -1],
    ...[1_700_000_000, 999, 1_700_000_001, 1],
  ]);
  const message = 'more than 65535 sets of observers';
  expect(() => putFlow(columns, 0, flow.with(3, 65_536) as FlowRow)).toThrow(message);
});

test('a flow of an address that is not in the dictionary is said, not shown without it', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  await log.record([{}, { src: '192.168.1.3' }]);
  const without: Reader = {
    file: reader.file,
    prepare: (sql) => reader.prepare(/srcMdnsName FROM source$/.test(sql) ? `${sql} WHERE id > 1` : sql),
    remembered: (_, read) => read(),
    attached: (key, make) => reader.attached(key, make),
  };
  const asked = { filter: {}, src: [], target: undefined, country: undefined, buckets: 1, now: noon };
  expect(queries.summary(reader, asked)).toMatchObject({ total: 2, from: noon, to: noon });
  expect(() => queries.summary(without, asked)).toThrow('names an address that is not in its dictionary');
  const edges = (filter: object, ...src: string[]) => {
    const { from, to } = queries.summary(reader, { ...asked, now: 9, filter, src });
    return [from, to];
  };
  expect([
    edges({}, '192.0.2.1', '192.0.2.2'),
    edges({ from: 5 }, 'x'),
    edges({ to: 6 }, 'x'),
    edges({ from: 7, to: 8 }, 'x'),
  ]).toEqual([
    ...[
      [9, 9],
      [5, 5],
      [6, 6],
      [7, 8],
    ],
  ]);
  expect([edges({ from: noon }), edges({ to: noon }), edges({ from: noon + 1 })]).toEqual([
    ...[
      [noon, noon],
      [noon, noon],
      [noon + 1, noon + 1],
    ],
  ]);
});

test('a row whose number another connection has is counted to the destination of that one', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  const dsts = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];
  await log.record(dsts.map((dst) => ({ dst })));
  await log.record([{ dst: '203.0.113.2', dport: 80, at: noon + hour }]);
  const asked = { filter: {}, src: [], target: undefined, country: undefined, buckets: 1, now: noon };
  const counts = () => queries.summary(reader, asked).byDst.map(({ dst, count }) => `${dst.at(-1)}: ${count}`);
  expect(counts()).toEqual(['2: 2', '1: 1', '3: 1']);
  for (const [flow, destination, expected] of [
    [2, 1, ['1: 2', '2: 1', '3: 1']],
    [2, 3, ['3: 2', '1: 1', '2: 1']],
    [2, 2, ['2: 2', '1: 1', '3: 1']],
    [4, 3, ['3: 2', '1: 1', '2: 1']],
    [4, 1, ['1: 2', '2: 1', '3: 1']],
  ] as const) {
    await log.db.write((writer) => {
      writer.prepare('UPDATE flow SET destination_id = ?, dport = 1000 + dport WHERE id = ?').run(destination, flow);
      const changes = createFlowChanges(writer);
      changes.changed(flow);
      changes.save();
    });
    expect(counts()).toEqual(expected);
  }
});

test('all is read anew when an eighth of the flows and 4,096 were added, or 65,536 hours; else what changed', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  await log.record(Array.from({ length: 80 }, (_, dport) => ({ dport, at: noon })));
  await log.record([{ dport: 9999, at: noon + 3 * hour }]);
  const targets = () => readDestinations(reader).target;
  const store = updateFlowStore(reader, targets());
  const main = store.mainLength;
  const add = (flows: number, from: number) =>
    log.record(Array.from({ length: flows }, (_, at) => ({ dport: from + at, at: noon + 3 * hour })));
  const room = Math.floor(main / 8) + 4096;
  await add(room, 10_000);
  expect(updateFlowStore(reader, targets())).toBe(store);
  expect([store.mainLength, store.length]).toEqual([main, main + room]);
  await add(1, 60_000);
  const anew = updateFlowStore(reader, targets());
  expect([anew === store, anew.mainLength, anew.length]).toEqual([false, main + room + 1, main + room + 1]);
  // Of so many changes nothing is looked up.
  const most = Math.floor(anew.mainLength / 8) + 65_536;
  const flows = (count: number) => ({
    flows: Uint32Array.from({ length: count }, (_, at) => 100_000 + at),
    hour: null,
    rows: new Uint32Array(),
  });
  expect([applyChanges(reader, anew, [flows(most)]), applyChanges(reader, anew, [flows(most + 1)])]).toEqual([
    anew,
    null,
  ]);
  const { deltaEntries, deltaHours } = anew;
  expect([applyChanges(reader, anew, []), anew.deltaEntries === deltaEntries]).toEqual([anew, true]);
  // A late row of a stored hour comes alone, one of another hour with all that are there.
  const { count } = deltaHours;
  await log.record([{ dport: 5, at: noon + 7 }], { now: noon + 3 * hour });
  updateFlowStore(reader, targets());
  expect(deltaHours.count).toBe(count + 1);
  await log.record([
    { dport: 5, at: noon + 5 * hour },
    { dport: 6, at: noon + 5 * hour },
  ]);
  updateFlowStore(reader, targets());
  await log.record([{ dport: 7, at: noon + 5 * hour }]);
  updateFlowStore(reader, targets());
  expect(deltaHours.count).toBe(count + 1 + 3);
});
