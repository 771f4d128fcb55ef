// A log of an earlier program is taken over: verdicts move from destinations to their flows, hours into their packs.
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createHourPacking } from '#hub/record/connections/store/hour-pack.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { hourRows } from '../support/hour-rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const migrations = path.join(import.meta.dirname, '../../src/hub/base/migrations');

/** The migrations up to `last`, as the program of that time had them. */
function earlierMigrations(folder: string, last: number): string {
  for (const name of readdirSync(migrations).filter((step) => Number(step.slice(0, 3)) <= last)) {
    copyFileSync(path.join(migrations, name), path.join(folder, name));
  }
  return folder;
}

test('flows of listed destinations get their verdict, equal verdicts one row; nothing else changes', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, earlierMigrations(folder.path, 4));
  const before = new Db(file);
  await before.write((writer) => {
    const run = (sql: string) => writer.prepare(sql).run();
    run("INSERT INTO source (id, address, first_seen) VALUES (1, '192.168.1.2', 5)");
    run(`INSERT INTO destination (id, address, host, first_seen, threat_level, threat_confidence, threat_source,
           threat_tag, threat_match_type, threat_match_value)
         VALUES (1, '203.0.113.1', 'a.example', 5, 2, 'high', 'feed_drop', '', 'cidr', '203.0.113.0/30'),
                (2, '203.0.113.2', NULL, 6, 2, 'high', 'feed_drop', NULL, 'cidr', '203.0.113.0/30'),
                (3, '203.0.113.9', NULL, 7, 0, NULL, NULL, NULL, NULL, NULL)`);
    run("INSERT INTO observer_set (id, members) VALUES (1, '1')");
    run(`INSERT INTO flow (source_id, destination_id, dport, proto, first_seen, last_seen, observer_set_id)
         VALUES (1, 1, 443, 'TCP', 5, 9, 1), (1, 1, 80, 'TCP', 5, 9, 1), (1, 2, 443, 'TCP', 6, 9, 1),
                (1, 3, 443, 'TCP', 7, 9, 1)`);
  });
  await before.close();
  migrate(file, migrations);
  const after = new Db(file);
  const all = (sql: string) => after.prepare(sql).raw().all();
  expect(all('SELECT level, confidence, source, tag, match_type, match_value, port, url FROM threat')).toEqual([
    [2, 'high', 'feed_drop', null, 'cidr', '203.0.113.0/30', null, null],
  ]);
  expect(all('SELECT destination_id, dport, threat_id FROM flow ORDER BY id')).toEqual([
    [1, 443, 1],
    [1, 80, 1],
    [2, 443, 1],
    [3, 443, null],
  ]);
  expect(all('SELECT id, address, host, first_seen FROM destination ORDER BY id')).toEqual([
    [1, '203.0.113.1', 'a.example', 5],
    [2, '203.0.113.2', null, 6],
    [3, '203.0.113.9', null, 7],
  ]);
  await after.close();
});

test('hours that an earlier program stored twice read the same, and are stored once when the hub has packed', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, earlierMigrations(folder.path, 11));
  const hourMs = 3_600_000;
  const rows = (hours: readonly number[], flows: number) =>
    hours.flatMap((hour) => Array.from({ length: flows }, (_, at) => [hour, at + 1, at % 3, 5 * at, 7 * at]));
  const [packed, running] = [rows([480_000, 480_001], 2500), rows([480_002], 10)];
  const before = new Db(file);
  await before.write((writer) => {
    const insert = writer.prepare(
      'INSERT INTO flow_hour (hour, flow_id, observations, first, last) VALUES (?, ?, ?, ?, ?)',
    );
    for (const [hour = 0, flow, observations, first = 0, last = 0] of [...packed, ...running]) {
      insert.run(hour, flow, observations, hour * hourMs + first, hour * hourMs + last);
    }
    for (const hour of [480_000, 480_001]) {
      const packing = createHourPacking();
      for (const [of, flow = 0, observations = 0, first = 0, last = 0] of packed) {
        if (of === hour) {
          packing.add(flow, observations, first, last);
        }
      }
      const { flows, spans } = packing.pack();
      writer.prepare('INSERT INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)').run(hour, flows, spans);
    }
  });
  await before.close();
  expect(migrate(file, migrations)).toBeGreaterThanOrEqual(12);
  const after = new Db(file);
  const told = hourRows(after);
  expect(told).toHaveLength(5010);
  await packHours(after, 480_002 * hourMs);
  expect(hourRows(after)).toEqual(told);
  expect(after.prepare('SELECT DISTINCT hour FROM flow_hour').pluck().all()).toEqual([480_002]);
  await after.close();
  expect(() => migrate(file, folder.path)).toThrow('use a newer gatehouse');
});

test('a step that would leave a row without its parent is refused whole', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, earlierMigrations(folder.path, 4));
  const text = "INSERT INTO flow VALUES (1, 8, 8, 1, 'TCP', NULL, NULL, 1, 1, 8, NULL, NULL, NULL, NULL, NULL);";
  const step = path.join(folder.path, '005-wrong.sql');
  writeFileSync(step, text);
  expect(() => migrate(file, folder.path)).toThrow(/005-wrong\.sql would leave rows of flow without their/);
});
