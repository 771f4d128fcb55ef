// What readers ask of Agents: the comparison with routers at its bounds, what no router showed, and what Agents cannot see.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { agentCoverage, blindSpots } from '#hub/collect/agents/coverage.ts';
import { agentQueries } from '#hub/collect/agents/queries.ts';
import { unseenEventQueries } from '#hub/collect/agents/unseen-events.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { agentFacts } from '../../../support/agents.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const now = 1_790_000_000_000;
const windowMs = 90_000;

interface Row {
  batch?: number;
  sport?: number;
  dst?: string;
  first: number;
  last: number;
  collector?: string;
}

async function openRows() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const file = path.join(folder.path, 'monitor.db');
  const db = opened.adopt(openDatabase(file), (open) => open.close());
  const reader = opened.adopt(new ReadConnection(file, 512), (open) => open.close());
  await db.write((writer) => {
    writer
      .prepare(
        `INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at, skew_ms)
         VALUES (1, 'one', 'linux', 'desk', '1', '1', 0, 0, 250), (2, 'two', 'linux', 'lap', '1', '1', 0, 0, NULL)`,
      )
      .run();
    writer
      .prepare("INSERT INTO observer (id, router_id, kind) VALUES (1, 'r', 'vendor_a'), (2, 's', 'vendor_a')")
      .run();
    writer.prepare("INSERT INTO agent_address VALUES ('192.168.1.2', 1, 0, 0)").run();
  });
  const whole = opened.move();
  const batch = (id: number, receivedAt: number, agent = 1) =>
    db.write((writer) =>
      writer
        .prepare('INSERT INTO agent_batch VALUES (?, ?, ?, zeroblob(32), 0, 0, 0, ?)')
        .run(id, agent, `b${id}`, receivedAt),
    );
  const observe = (...rows: Row[]) =>
    db.write((writer) => {
      const insert = writer.prepare(
        `INSERT INTO agent_observation (batch, place, agent, observation_id, proto, local_address, local_port, remote_address,
           remote_port, process_id, process, first_at, last_at, collector, confidence)
         VALUES (@batch, (SELECT COUNT(*) FROM agent_observation), 1, @id, 'TCP', '192.168.1.2', @sport, @dst, 443, 1, 'p',
           @first, @last, @collector, 'exact')`,
      );
      for (const row of rows) {
        const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
        insert.run({ batch: 1, sport: 1, dst: '203.0.113.1', collector: 'socket-table', ...row, id });
      }
    });
  const show = (...rows: (Row & { observer?: number })[]) =>
    db.write((writer) => {
      const insert = writer.prepare(
        "INSERT INTO router_session VALUES (@observer, '192.168.1.2', @sport, @dst, 443, 'TCP', @first, @last)",
      );
      rows.forEach((row) => void insert.run({ observer: 1, sport: 1, dst: '203.0.113.1', ...row }));
    });
  return { db, reader, batch, observe, show, [Symbol.asyncDispose]: () => whole.disposeAsync() };
}

type Rows = Awaited<ReturnType<typeof openRows>>;

const compare = ({ reader }: Rows, more: { from?: number; to?: number; limit?: number; now?: number } = {}) =>
  agentQueries.reconciliation(reader, {
    ...{ agent: 1, agentId: 'one', from: now - hourMs, to: now, limit: 100, pollMs: minuteMs, windowMs, now, ...more },
  });

test('what lies outside the range by the window is compared, what lies further is not', async () => {
  await using rows = await openRows();
  await rows.batch(1, now - limits.agentFutureMs - hourMs);
  const from = now - hourMs;
  // Of each pair the router's side is in the range, and the Agent's just outside of it, before and after.
  await rows.show({ sport: 1, first: from, last: from }, { sport: 2, first: now, last: now });
  await rows.observe(
    { sport: 1, first: from - windowMs, last: from - windowMs },
    { sport: 2, first: now + windowMs, last: now + windowMs },
  );
  expect(compare(rows)).toMatchObject({ clockSkewMs: 250, both: { exact5tuple: 2 }, truncated: false });
  // And the other way round.
  await rows.show(
    { sport: 3, first: from - windowMs, last: from - windowMs },
    { sport: 4, first: now + windowMs, last: now + windowMs },
  );
  await rows.observe({ sport: 3, first: from, last: from }, { sport: 4, first: now, last: now });
  expect(compare(rows)).toMatchObject({ both: { exact5tuple: 4 }, routerOnly: { total: 0 }, agentOnly: { total: 0 } });
});

test('the parts of a connection are one session, and lists are as long as asked, with totals of all', async () => {
  await using rows = await openRows();
  const at = now - 30 * minuteMs;
  await rows.batch(1, at);
  await rows.observe(
    { first: at, last: at },
    { first: at, last: at + 5, collector: 'ebpf' },
    { sport: 2, first: at, last: at },
  );
  await rows.show(...[7, 8, 9].map((sport) => ({ sport, dst: '203.0.113.9', first: at + sport, last: at + sport })));
  await rows.db.write((writer) =>
    writer
      .prepare(
        "INSERT INTO destination (address, host, lat, lon) VALUES ('203.0.113.9', 'nine.test', 1, 2), ('203.0.113.8', NULL, NULL, 2), ('203.0.113.7', NULL, 1, NULL)",
      )
      .run(),
  );
  const found = compare(rows, { limit: 2 });
  expect(found.agentOnly).toMatchObject({
    ...{ total: 2, byReason: { shorter_than_poll: 2 } },
    sessions: [{ sport: 1, firstSeen: at, lastSeen: at + 5, process: 'p', dstHost: null }, { sport: 2 }],
  });
  // One part was told by an event.
  expect(found.routerOnly).toMatchObject({
    ...{ total: 3, byReason: { other_namespace: 3 } },
    sessions: [{ sport: 9, dstHost: 'nine.test', routerId: 'r' }, { sport: 8 }],
  });
  expect(agentQueries.agentPlaces(rows.reader)).toEqual({ entries: [['203.0.113.9', 1, 2, null, null]] });
});

test('the newest sessions are compared, as many as may be, and more are said to be there', async () => {
  await using rows = await openRows();
  await rows.batch(1, now);
  const insert = {
    routerOnly: `router_session SELECT 1, '192.168.1.2', i, '203.0.113.1', 443, 'TCP', ${now} - i, ${now} - i FROM n`,
    agentOnly: `agent_observation SELECT 1, i, 1, randomblob(16), 'TCP', '192.168.1.2', i, '203.0.113.2', 443, 1, 'p', NULL,
      ${now} - i, ${now} - i, NULL, NULL, 'ebpf', 'exact' FROM n`,
  };
  for (const side of ['routerOnly', 'agentOnly'] as const) {
    const add = (from: number, to: number) =>
      rows.db.write((writer) =>
        writer
          .prepare(
            `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) INSERT INTO ${insert[side]}`,
          )
          .run(),
      );
    await add(1, limits.reconciliationSessions);
    expect(compare(rows, { limit: 1 })).toMatchObject({ truncated: false, [side]: { total: 20_000 } });
    await add(limits.reconciliationSessions + 1, limits.reconciliationSessions + 1);
    const { truncated, [side]: found } = compare(rows, { limit: 1 });
    expect([truncated, found.total, found.sessions[0]?.lastSeen]).toEqual([true, 20_000, now - 1]);
    await rows.db.write((writer) => writer.prepare('DELETE FROM router_session').run());
  }
});

test('a router is silent around a session when it showed none of the machine within half an hour, before or after', async () => {
  await using rows = await openRows();
  const [from, half] = [now - 20 * hourMs, 30 * minuteMs];
  await rows.batch(1, now);
  await rows.show(
    ...[15, 10, 5].map((hours, sport) => ({ sport, first: now - hours * hourMs, last: now - hours * hourMs })),
  );
  const at = [15, 10, 5].flatMap((hours) => [-half - 1, -half, half, half + 1].map((ms) => now - hours * hourMs + ms));
  await rows.observe(...at.map((ms, index) => ({ sport: 100 + index, dst: '203.0.113.9', first: ms, last: ms })));
  const { sessions } = compare(rows, { from }).agentOnly;
  expect(sessions.map(({ reason }) => reason)).toEqual(
    [15, 10, 5].flatMap(() => ['router_silent', 'shorter_than_poll', 'shorter_than_poll', 'router_silent']),
  );
});

test('events that no router showed are counted where its table was read whole, since it showed the machine first', async () => {
  await using rows = await openRows();
  const [from, to, mid] = [now - 10 * hourMs, now, now - 5 * hourMs];
  await rows.batch(1, now);
  const event = (sport: number, at: number, more: Partial<Row> = {}) => ({
    ...{ sport, first: at, last: at, collector: 'ebpf', ...more },
  });
  await rows.show(
    { sport: 1, first: mid - 2 * hourMs, last: mid - hourMs },
    { observer: 2, sport: 3, first: mid, last: mid },
  );
  await rows.observe(
    // Shown within an hour; shown longer before; shown by another router alone; to the local network, IPv6, of a table.
    event(1, mid),
    event(1, mid + 1),
    event(3, mid),
    event(4, mid, { dst: '192.168.1.9' }),
    event(5, mid, { dst: '2001:db8::1' }),
    event(6, mid, { collector: 'socket-table' }),
    event(7, mid - 3 * hourMs),
    event(8, mid, { dst: '203.0.113.2' }),
  );
  const unseen = () => unseenEventQueries.unseenEvents(rows.reader, { routerId: 'r', from, to });
  expect(unseen()).toEqual([]);
  await rows.db.write((writer) => {
    writer
      .prepare("INSERT INTO coverage_subject (id, kind, key, name, cannot_see) VALUES (1, 'router', 'r', 'r', '[]')")
      .run();
    writer
      .prepare('INSERT INTO coverage_span (subject, since, until, seen, reads, missed) VALUES (1, ?, ?, ?, 1, 0)')
      .run(from, to, to - from);
  });
  expect(unseen()).toEqual([{ proto: 'TCP', dport: 443, events: 4, missed: 3 }]);
});

test('an Agent is silent after 17 minutes, and what its latest collectors cannot see is said', async () => {
  await using rows = await openRows();
  const agent = { ...agentFacts, agentId: 'one', createdAt: 0, updatedAt: 0, revokedAt: null, lastSeenAt: now };
  const at = (ms: number, more = {}) => agentCoverage(rows.db, { ...agent, ...more }, now + ms);
  expect(at(17 * minuteMs)).toMatchObject([{ kind: 'agent', key: 'one', name: 'desk', seenUntil: now, gap: null }]);
  expect(at(17 * minuteMs + 1)).toMatchObject([{ gap: 'silent', togetherMs: 17 * minuteMs, part: null }]);
  expect([at(0, { lastSeenAt: null }), at(0, { revokedAt: 1 })]).toEqual([[], []]);
  for (let id = 1; id <= 21; id += 1) {
    await rows.batch(id, now);
  }
  await rows.observe({ batch: 1, first: 0, last: 0, collector: 'ebpf' });
  expect(at(0)[0]?.cannotSee).toHaveLength(2);
  await rows.observe({ batch: 2, first: 1, last: 1, collector: 'ebpf' });
  expect(at(0)[0]?.cannotSee).toEqual([]);
  const counts = (['socket-table', 'socket-events', 'conntrack', 'network-extension', 'ebpf', 'etw'] as const).map(
    (collector) => blindSpots([collector]).length,
  );
  expect(counts).toEqual([2, 1, 0, 0, 0, 0]);
  expect(blindSpots([])).toHaveLength(2);
});
