// Exported rows are put together from pieces: their order, their number and their paths are those of the list.
import { expect, test } from 'vitest';
import type { Chunk } from '#hub/base/readers/query-table.ts';
import { exportColumns } from '#hub/record/connections/export/columns.ts';
import { jsonForm } from '#hub/record/connections/export/rows/forms.ts';
import { writeRows } from '#hub/record/connections/export/rows/write-rows.ts';
import { queries } from '#hub/record/connections/queries.ts';
import { readPages, selectByTime } from '#hub/record/connections/query/page.ts';
import { createPaths } from '#hub/record/connections/query/path.ts';
import { noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';

const join = (chunks: Iterable<Chunk>) => Buffer.concat([...chunks].map((one) => Buffer.from(one))).toString();

test('instants with more rows than are read at once keep their order, and rows end where they are to end', async () => {
  await using log = openConnectionLog();
  const record = (count: number, at: number, dst: string) =>
    log.record(
      Array.from({ length: count }, (_, index) => ({ dport: (index * 7919) % 65_536, at, dst })),
      { now: at },
    );
  await record(12_000, noon, '203.0.113.9');
  await record(4999, noon + 1, '203.0.113.80');
  await record(2, noon + 2, '203.0.113.80');
  await record(5000, noon + 3, '203.0.113.7');
  using reader = openReader(log, 16_384);
  const order = { filter: {}, sort: 'lastSeen', sortDir: 'desc' } as const;
  const rows = [...readPages(reader, order, { rows: 22_001, rowsAtOnce: 1000 })].flat();
  const columns = [
    ['port', 'dport'],
    ['row', 'lastSeen'],
  ] as const;
  for (const most of [1, 2, 5000, 5001, 5003, 9999, 10_001, 10_002, 17_000, 22_001, 30_000]) {
    const writing = { columns, form: jsonForm, rowsAtOnce: 700 };
    const pages = [...writeRows(reader, selectByTime(reader, {}, 22_001), most, writing)];
    expect(JSON.parse(`[${join(pages)}]`)).toEqual(
      rows.slice(0, most).map(({ dport, lastSeen }) => ({ dport, lastSeen })),
    );
    expect(pages.every((page) => page.length > 0 && page.length < 700 * 60)).toBe(true);
  }
});

test('an export says of a path what is found for its row, with links and addresses that change', async () => {
  await using log = openConnectionLog();
  const [inner, outer] = ['192.168.1.2', '10.0.0.5'];
  const hour = 3_600_000;
  await log.record([{ src: inner, sport: 5000 }], { routerId: 'attic', kind: 'vendor_a' });
  for (const [index, at] of [noon, noon + 9 * hour, noon + 20 * hour].entries()) {
    const flow = { src: outer, dport: 500 + index, at };
    await log.record([flow], { routerId: 'cellar', kind: 'vendor_b', now: at });
    await log.record([{ src: outer, dport: 600 + index, at }], { routerId: 'attic', kind: 'vendor_a', now: at });
    await log.record([{ src: outer, dport: 600 + index, at }], { routerId: 'cellar', kind: 'vendor_b', now: at });
  }
  await log.record([{ src: outer }], { routerId: 'cellar', kind: 'vendor_b', now: noon + 21 * hour });
  await log.record([{ src: outer, dport: 700 }], { routerId: 'agent-1', kind: 'agent', now: noon + 21 * hour });
  await log.db.write((writer) => {
    const addressed = writer.prepare(
      `INSERT INTO router_address (observer, address, first_seen, last_seen)
       VALUES ((SELECT id FROM observer WHERE router_id = ?), ?, ?, ?)`,
    );
    addressed.run('cellar', '198.51.100.1', noon, noon + hour);
    addressed.run('cellar', '100.64.0.9', noon + 9 * hour, noon + 9 * hour);
    const find = (src: string, dport: number) =>
      writer
        .prepare('SELECT f.id FROM flow f JOIN source s ON s.id = f.source_id WHERE s.address = ? AND f.dport = ?')
        .pluck()
        .get(src, dport);
    writer
      .prepare(
        `INSERT INTO flow_link (inner_flow, inner_observer, outer_flow, outer_observer, seen_at, sport, port)
         VALUES (?, (SELECT id FROM observer WHERE router_id = 'attic'), ?,
           (SELECT id FROM observer WHERE router_id = 'cellar'), ?, 5000, 40000)`,
      )
      .run(find(inner, 443), find(outer, 443), noon);
  });
  using reader = openReader(log);
  const [, head = '', ...chunks] = [
    ...queries.export(reader, { filter: {}, format: 'json', from: 0, to: noon + 30 * hour }),
  ];
  const { connections } = JSON.parse(head + join(chunks)) as { connections: Record<string, unknown>[] };
  const paths = createPaths(reader);
  const expected = queries
    .list(reader, { filter: {}, sort: 'lastSeen', sortDir: 'desc', limit: 100, offset: 0, now: noon })
    .connections.map((row) => {
      const flow = reader
        .prepare(
          `SELECT f.id FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
           WHERE s.address = ? AND d.address = ? AND f.dport = ? AND f.proto = ?`,
        )
        .pluck()
        .get(row.src, row.dst, row.dport, row.proto) as number;
      const { state, hops, doubleNat } = paths.find(flow, row);
      const path = state === 'unknown' ? [] : hops.map(({ routerId }) => routerId);
      return { dport: row.dport, path, pathState: state, doubleNat };
    });
  expect(connections.map(({ dport, path, pathState, doubleNat }) => ({ dport, path, pathState, doubleNat }))).toEqual(
    expected,
  );
  expect(new Set(expected.map(({ pathState }) => pathState))).toEqual(
    new Set(['ordered', 'single', 'unknown', 'none']),
  );
  expect(new Set(expected.map(({ doubleNat }) => doubleNat))).toEqual(new Set(['seen', 'likely', 'no', 'unknown']));
  expect(Object.keys(connections[0] ?? {})).toEqual(exportColumns.flatMap(([, ...names]) => names));
});
