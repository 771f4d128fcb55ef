// Which rows a page has at the bounds of every limit, and which index finds them: a wrong one answers alike, but slowly.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectionFilter, SortColumn } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { queries } from '#hub/record/connections/queries.ts';
import { chooseIndex, countMatching, dropNoopTimeBounds, hasMoreThan } from '#hub/record/connections/query/count.ts';
import { toCondition } from '#hub/record/connections/query/filter.ts';
import { readPage } from '#hub/record/connections/query/page.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';

type Copied = { from: number; to: number; dst: string; proto: string };

/** Copies the only flow of the log to each of the ports `from` … `to`; a port is seen at `noon` + its rest by 7. */
async function copyFlow({ db }: ConnectionLog, { from, to, dst, proto }: Copied): Promise<void> {
  const own = ['id', 'destination_id', 'dport', 'proto', 'first_seen', 'last_seen'];
  const columns = db.prepare('PRAGMA table_info(flow)').all() as { name: string }[];
  const kept = columns.map(({ name }) => name).filter((name) => !own.includes(name));
  const [first] = db.prepare('SELECT min(id) FROM flow').pluck().all();
  await db.write((writer) => {
    writer
      .prepare(
        `WITH RECURSIVE port (port) AS (SELECT @from UNION ALL SELECT port + 1 FROM port WHERE port < @to)
         INSERT INTO flow (destination_id, dport, proto, first_seen, last_seen, ${kept.join(', ')})
         SELECT (SELECT id FROM destination WHERE address = @dst), port, @proto, @noon + port % 7, @noon + port % 7, ${kept.join(', ')}
         FROM port CROSS JOIN flow WHERE flow.id = @first`,
      )
      .run({ from, to, dst, proto, noon, first });
  });
}

async function startScene(copied: readonly Copied[]) {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const destinations = [...new Set(copied.map(({ dst }) => dst))];
  await log.record(destinations.map((dst) => ({ dst, dport: 65_535, proto: 'SCTP' })));
  for (const one of copied) {
    await copyFlow(log, one);
  }
  await log.db.write((writer) => void writer.prepare("DELETE FROM flow WHERE proto = 'SCTP'").run());
  const connection = opened.use(openReader(log, 16_384));
  const statements: string[] = [];
  const reader: Reader = {
    file: log.db.file,
    prepare: (sql) => {
      statements.push(sql);
      return connection.prepare(sql);
    },
    remembered: (key, read) => connection.remembered(key, read),
    attached: (key, make) => connection.attached(key, make),
  };
  const held = opened.move();
  return { log, reader, statements, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof startScene>>;

/** Ports of the flows by protocol, then newest first, then by port. */
function portsByProtocol(copied: readonly Copied[]): number[] {
  const flows = copied.flatMap(({ from, to, proto }) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ port: from + index, proto })),
  );
  const inOrder = flows.sort(
    (a, b) => (a.proto < b.proto ? -1 : a.proto > b.proto ? 1 : 0) || (b.port % 7) - (a.port % 7) || a.port - b.port,
  );
  return inOrder.map(({ port }) => port);
}

test('of one row more than an unpaged list or an export may have, all but the last are there', async () => {
  const half = limits.connectionsUnpaged / 2;
  const dst = '203.0.113.1';
  const copied = [
    { from: 0, to: half, dst, proto: 'TCP' },
    { from: half + 1, to: 2 * half, dst, proto: 'UDP' },
  ];
  await using scene = await startScene(copied);
  const { reader } = scene;
  const order = { sort: 'proto', sortDir: 'asc' } as const;
  const text = [...queries.listAll(reader, { filter: {}, ...order, now: noon })].join('');
  const { connections, ...rest } = JSON.parse(text);
  expect(rest).toEqual({ total: 2 * half + 1, limit: 2 * half, offset: 0, serverTime: noon, truncated: true });
  const ports = connections.map((row: { dport: number }) => row.dport);
  expect(ports).toEqual(portsByProtocol(copied).slice(0, -1));
  const [plan, head] = [...queries.export(reader, { filter: {}, format: 'json', from: 1, to: noon })].map(String);
  expect(JSON.parse(plan ?? '')).toEqual({ total: limits.exportRows + 1, count: limits.exportRows });
  expect(JSON.parse(`${head?.replace(/,"connections":.*/s, '')}}`).meta).toMatchObject({
    truncated: true,
    exported: 50_000,
  });
  await scene.log.db.write((writer) => void writer.prepare('DELETE FROM flow WHERE dport = 0').run());
  const least = [...queries.listAll(reader, { filter: {}, ...order, now: noon })].at(-1);
  expect(least).toMatch(/"truncated":false}$/);
  await copyFlow(scene.log, { from: 0, to: 0, dst, proto: 'TCP' });
  // A page that passes from one group into the next has no row too many.
  const query = { filter: {}, ...order, limit: 10, offset: half - 3 };
  const page = readPage(reader, query, 2 * half + 1);
  expect(page.map(({ dport }) => dport)).toEqual(portsByProtocol(copied).slice(half - 3, half + 7));
});

describe('the index of a query', () => {
  const many = '203.0.113.1';
  const some = '198.51.100.2';
  const copied = [
    { from: 0, to: 5999, dst: many, proto: 'TCP' },
    { from: 6000, to: 6149, dst: some, proto: 'TCP' },
    { from: 6150, to: 6199, dst: some, proto: 'UDP' },
  ];
  const total = 6200;
  const shared: { scene?: Scene } = {};
  beforeAll(async () => {
    shared.scene = await startScene(copied);
  });
  afterAll(() => shared.scene?.[Symbol.asyncDispose]());
  const theScene = (): Scene => {
    if (shared.scene === undefined) {
      throw new Error('the log is not open');
    }
    return shared.scene;
  };

  const later = { from: noon + 1 };
  type Case = [filter: ConnectionFilter, sort: SortColumn, offset: number, page: string, sizes: string | null];
  const bySource = 'sqlite_autoindex_flow_1';
  test.each<Case>([
    [{}, 'lastSeen', 0, 'flow_seen', null],
    [{ fDst: [some] }, 'lastSeen', 0, 'flow_destination', null],
    [{ fDst: [some], ...later }, 'dport', 3, 'flow_destination', null],
    [{ fProto: ['udp'] }, 'lastSeen', 0, 'flow_seen', null],
    [{}, 'lastSeen', 3, 'flow_seen', null],
    [{}, 'proto', 5000, 'flow_seen', null],
    [{}, 'proto', 5001, 'flow_seen', 'flow_proto'],
    [{}, 'dport', 5001, 'flow_dport', 'flow_dport'],
    [{}, 'src', 5001, 'flow_seen', bySource],
    [{}, 'dst', 5001, 'flow_seen', 'flow_destination'],
    [{}, 'org', 5001, 'flow_seen', 'flow_destination'],
    [{}, 'country', 5001, 'flow_seen', 'flow_destination'],
    // Not what groups are made of, but what the filter needs.
    [{ fProto: ['tcp'] }, 'src', 5001, 'flow_seen', 'flow_seen'],
    [{ fDst: [many] }, 'proto', 5001, 'flow_seen', 'flow_destination'],
  ])('%o by %s from row %i: %s, groups are counted by %s', (filter, sort, offset, page, sizes) => {
    const { reader, statements } = theScene();
    statements.length = 0;
    const answer = queries.list(reader, { filter, sort, sortDir: 'asc', limit: 2, offset, now: noon });
    expect(answer.connections).toHaveLength(2);
    const indexOf = (part: string) =>
      new Set(
        statements.flatMap((sql) => (sql.includes(part) ? (/flow f\s+INDEXED BY (\w+)/.exec(sql)?.[1] ?? '') : [])),
      );
    expect([...indexOf('s.address AS src')]).toEqual([page]);
    expect([...indexOf('AS size')]).toEqual(sizes === null ? [] : [sizes]);
    // A page that is full asks no further group, and instants are looked up to skip rows alone.
    expect(statements.filter((sql) => sql.includes('s.address AS src')).length).toBeLessThanOrEqual(3);
    const skips = page === 'flow_seen' && offset > 0 && (sort === 'lastSeen' || sizes !== null);
    expect(indexOf('f.last_seen AS at').size > 0).toBe(skips);
  });

  test('a condition that the index answers alone is counted there, another only when few rows match', () => {
    const { reader } = theScene();
    const router = { sourceKind: 'router', sourceId: 'vendor-a-1' } as const;
    const indexes = [
      { fDst: [many] },
      { fDst: [many], ...later },
      { fDst: [many], to: noon },
      { fDst: [many], ...router },
    ];
    expect(indexes.map((filter) => chooseIndex(reader, filter, 5999))).toEqual([
      'flow_destination',
      ...Array(3).fill('flow_seen'),
    ]);
    expect(indexes.map((filter) => chooseIndex(reader, filter, 6000))).toEqual(Array(4).fill('flow_destination'));
    expect(countMatching(reader, { fDst: [many], ...router })).toBe(6000);
    const every = { sql: '1', values: [] };
    expect(toCondition(reader, {})).toEqual(every);
    const found = [0, total - 1, total, total + 1].map((most) => hasMoreThan(reader, most, every, 'flow_seen'));
    expect(found).toEqual([true, true, false, false]);
    expect(hasMoreThan(reader, 0, { sql: '?', values: [0] }, 'flow_seen')).toBe(false);
  });
});

test('the ends of a window that exclude nothing are dropped, and no others', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  const window = { from: 0, to: noon + 99 };
  expect(countMatching(reader, window)).toBe(0);
  await log.record([{ at: noon }, { dport: 80, at: noon + 50 }]);
  const cases: [given: ConnectionFilter, left: ConnectionFilter][] = [
    [window, {}],
    [{ from: noon, to: noon + 50 }, {}],
    [{ from: noon }, {}],
    [{ to: noon + 50 }, {}],
    [{ from: noon + 1, to: noon + 51 }, { from: noon + 1 }],
    [{ from: noon - 1, to: noon + 49 }, { to: noon + 49 }],
    [
      { from: noon + 1, to: noon },
      { from: noon + 1, to: noon },
    ],
    [
      { from: noon + 60, to: noon + 55 },
      { from: noon + 60, to: noon + 55 },
    ],
    [{ fDst: ['x'], from: noon }, { fDst: ['x'] }],
    [{}, {}],
  ];
  expect(cases.map(([given]) => JSON.parse(JSON.stringify(dropNoopTimeBounds(reader, given))))).toEqual(
    cases.map(([, left]) => left),
  );
});
