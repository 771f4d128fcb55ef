// A clock that was two days ahead for a while: afterwards nothing stored or shown is later than now, and nothing waits for
// two days. A clock that is only behind changes nothing.
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Log } from '#kernel/process/log.ts';
import { type Lab, pollIntervalMs, startLab } from '../support/lab.ts';
import { ManualClock } from '../support/manual-clock.ts';

const day = 86_400_000;
const hour = 3_600_000;
const tolerance = 300_000;

/** What may lie ahead of now, and by how much. */
const mayLieAhead: Readonly<Record<string, number>> = {
  'session.expires_at': 31 * day,
  'api_identity.expires_at': 366 * day,
  'destination_answer.until': 31 * day,
  'threat_part.next_at': day,
  // The trail is append-only: it shows what the clock showed.
  'audit_event.created_at': Number.POSITIVE_INFINITY,
};

const open = (lab: Lab<string>) => new Database(path.join(lab.dataDir, 'monitor.db'));

/** Every stored instant that lies too far ahead: "table.column" and how many rows. */
function stillToCome(lab: Lab<string>): Record<string, number> {
  using db = Object.assign(open(lab), { [Symbol.dispose]: () => db.close() });
  const columns = db
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.type = 'INTEGER'`,
    )
    .all() as { table: string; column: string }[];
  const found: Record<string, number> = {};
  const now = lab.clock.now();
  for (const { table, column } of columns) {
    const name = `${table}.${column}`;
    const ahead = mayLieAhead[name] ?? tolerance;
    const unit = column === 'hour' ? hour : column === 'slot' ? 21_600_000 : 1;
    const rows = db
      .prepare(`SELECT count(*) FROM "${table}" WHERE "${column}" * ${unit} BETWEEN ? AND 4102444800000`)
      .pluck()
      .get(Math.min(now + ahead, 4_102_444_800_000));
    if (Number(rows) > 0) {
      found[name] = Number(rows);
    }
  }
  const cards = db
    .prepare("SELECT count(*) FROM detection d JOIN json_tree(d.retro) j WHERE j.type = 'integer' AND j.atom > ?")
    .pluck()
    .get(now + tolerance);
  return Number(cards) > 0 ? { ...found, 'detection.retro': Number(cards) } : found;
}

/** Rows that a poll of a minute does not make, with times of now. */
function addOthers(lab: Lab<string>): void {
  const db = open(lab);
  const now = lab.clock.now();
  db.exec(`
    INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
      status) VALUES ('a', 'b', 1, 'TCP', 60000, 0, 1, 9, ${now}, ${now}, ${now}, 'candidate');
    INSERT INTO detection (type, detected_at) VALUES ('beacon', ${now});
    INSERT INTO detection (type, detected_at, retro) VALUES ('retro_match', ${now}, json_object('flows', 1, 'connections',
      json_array(json_object('id', 'x', 'firstSeen', 5, 'lastSeen', ${now})), 'firstSeen', 5, 'lastSeen', ${now},
      'feed', 'feed_c2', 'cause', 'list', 'previousAt', ${now}, 'listedAt', ${now}, 'level', 'warn', 'isOngoing', json('true')));
    INSERT INTO retro_match (flow_id, source_id, destination_id, feed, cause, previous_at, listed_at, pending)
      SELECT id, source_id, destination_id, 'feed_c2', 'list', ${now}, ${now}, 0 FROM flow LIMIT 3;
    INSERT INTO threat_agreed (part, fetched_at, checked_at) VALUES ('c2', ${now}, ${now});
    INSERT OR REPLACE INTO detection_told VALUES ('threat', 'x', 'y', ${now});
    INSERT INTO destination_answer (destination_id, kind, at, until)
      SELECT id, 'ptr', ${now}, ${now} + 86400000 FROM destination;
    INSERT INTO session_start SELECT ${Math.floor(now / 21_600_000)}, id, x'0000' FROM flow LIMIT 3;
    INSERT INTO threat_part (part, attempted_at, checked_at, fetched_at, next_at)
      VALUES ('feodo', ${now}, ${now}, ${now}, ${now} + 3600000);
    INSERT INTO outbox_message (destination, client_id, text, state, created_at, next_at) VALUES ('chat', 'c', 't', 'open', ${now}, ${now});
    INSERT INTO flow_link (inner_flow, inner_observer, outer_flow, outer_observer, seen_at)
      SELECT max(f.id), o.id, min(f.id), o.id, ${now} FROM flow f, observer o GROUP BY o.id;
    INSERT INTO outbox_event (destination, key, created_at, content) VALUES ('chat', 'k', ${now}, '{}');
  `);
  db.close();
}

function collectingLog() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const level = (name: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level: name, message, fields });
  const log = { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
  return { lines, log: log as unknown as Log };
}

/** `routerClock`: the router's own, the hub's when absent. */
async function startScene(routerClock?: ManualClock) {
  const { lines, log } = collectingLog();
  const own = routerClock === undefined ? {} : { clock: routerClock };
  const router = { kind: 'vendor_a', sessions: 40, seed: 3, ...own } as const;
  const lab = await startLab({ routers: { a: router }, hub: { log } });
  await lab.poll();
  return { lab, lines };
}

const lastSeen = async (lab: Lab<string>) => {
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '1000', from: '0' } });
  return connections.map((row) => row.lastSeen);
};

describe('two days ahead, and back', () => {
  test.each([
    ['while the hub runs', false],
    ['while the hub is off', true],
  ])('%s', async (_what, isOff) => {
    const { lab, lines } = await startScene();
    await using _ = lab;
    const before = lab.clock.now();
    const change = async (to: number) => {
      if (isOff) {
        await lab.stop();
      }
      lab.clock.put(to);
      if (isOff) {
        await lab.restart();
        await lab.settled();
      }
    };
    await change(before + 2 * day);
    lab.routers.a.flow({ src: '192.168.100.7', dst: '203.0.113.80', dport: 443 });
    for (let poll = 0; poll < 70; poll += 1) {
      await lab.poll();
    }
    const session = await lab.as.browser();
    addOthers(lab);
    const seen = await lab.as.admin.connections.summary({ query: {} });
    expect(Object.keys(stillToCome(lab))).toEqual([]);
    await change(before + 71 * pollIntervalMs);
    expect(Object.keys(stillToCome(lab)).length).toBeGreaterThan(20);
    for (let poll = 0; poll < 3; poll += 1) {
      await lab.poll();
    }
    expect(stillToCome(lab)).toEqual({});
    const now = lab.clock.now();
    const times = await lastSeen(lab);
    expect(times.length).toBeGreaterThan(40);
    expect(Math.max(...times)).toBeLessThanOrEqual(now);
    const after = await lab.as.admin.connections.summary({ query: {} });
    expect([after.total, after.byDst.length]).toEqual([seen.total, seen.byDst.length]);
    if (!isOff) {
      expect((await session.get('/api/status')).status).toBe(200);
    }
    const { devices } = await lab.as.admin.devices.list({ query: {} });
    expect(Math.max(...devices.map((device) => device.lastSeen))).toBeGreaterThan(now - 2 * pollIntervalMs);
    expect(lines.filter(({ message }) => message.includes('was ahead and is right again'))).toMatchObject([
      { level: 'warn', fields: { rows: expect.any(Number) } },
    ]);
    const { routers } = await lab.as.admin.routers.list({});
    expect(routers).toMatchObject([{ state: 'ready', lastSuccessAt: now }]);
  });
});

test('a clock that is behind and is put right changes nothing, and is said', async () => {
  const { lab, lines } = await startScene(new ManualClock());
  await using _ = lab;
  const rightly = lab.clock.now();
  const before = await lastSeen(lab);
  lab.clock.put(rightly - 1000 * day);
  for (let poll = 0; poll < 4; poll += 1) {
    await lab.poll();
  }
  const { warnings } = await lab.as.admin.status.status({});
  expect(warnings).toContainEqual(
    expect.stringMatching(/^the clock shows .*earlier than before .*set it if it is wrong/),
  );
  lab.clock.put(rightly + 4 * pollIntervalMs);
  await lab.poll();
  expect(Math.min(...(await lastSeen(lab)))).toBeGreaterThanOrEqual(Math.min(...before));
  expect(lines.filter(({ message }) => message.includes('brought back to now'))).toEqual([]);
  expect((await lab.as.admin.status.status({})).warnings).not.toContainEqual(expect.stringMatching(/the clock shows/));
});
