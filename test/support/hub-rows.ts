// A small hub database with rows in its tables, made by the real migrations, and ways to damage it.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { applyMigrations } from '#kernel/sqlite/migrations.ts';

export const migrations = path.join(import.meta.dirname, '../../src/hub/base/migrations');

/** Small, so that few rows make deep trees. */
const pageSize = 512;

const numbers = (count: number) =>
  `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count})`;
const hash = "printf('%064x', x * 7919)";

const logRows = `
  INSERT INTO observer VALUES (1, 'router-1', 'vendor_a', 'Hall'), (2, 'router-2', 'vendor_b', NULL);
  INSERT INTO observer_set VALUES (1, '1'), (2, '2'), (3, '1,2');
  ${numbers(60)} INSERT INTO source (id, address, mac) SELECT x, '192.168.1.' || x, printf('02:00:00:00:00:%02x', x) FROM n;
  ${numbers(600)} INSERT INTO destination (id, address, host, lat)
    SELECT x, '203.0.' || (x / 250) || '.' || (x % 250), 'höst' || x || '.example', x / 8.0 FROM n;
  ${numbers(3000)} INSERT INTO flow (id, source_id, destination_id, dport, proto, sport, first_seen, last_seen, observer_set_id, bytes_in)
    SELECT x, x % 60 + 1, x % 600 + 1, x, 'TCP', 1024 + x, x, 9007199254740993 + x, x % 3 + 1, CAST(x * x AS TEXT) FROM n;
  ${numbers(3000)} INSERT INTO flow_hour SELECT 490000 + x / 500, x % 500, 1, x, x + 5, x FROM n`;

const otherRows = `
  INSERT INTO threat VALUES (1, 2, 'high', 'feed_c2', 'bot', 'ip', '203.0.113.9', NULL, NULL);
  UPDATE flow SET threat_id = 1 WHERE id % 500 = 0;
  ${numbers(300)} INSERT INTO flow_change (flows, total, hour) SELECT randomblob(x % 40), x, x FROM n;
  DELETE FROM flow_change WHERE id > 290;
  ${numbers(20)} INSERT INTO flow_hour_pack SELECT 480000 + x, randomblob(1500), zeroblob(x) FROM n;
  ${numbers(40)} INSERT INTO session (token_hash, csrf_hash, auth_method, role, created_at, last_seen_at, expires_at)
    SELECT ${hash}, ${hash}, 'local', 'viewer', x, x, x FROM n;
  ${numbers(12)} INSERT INTO api_identity SELECT 'id-' || x, ${hash}, 'Label', '[]', x, x, NULL, NULL FROM n;
  ${numbers(1500)} INSERT INTO audit_event (event_id, created_at, event_type, outcome, path)
    SELECT 'event-' || x, x, 'login', iif(x % 3, 'success', 'failure'), '/api/' || x FROM n;
  INSERT INTO threat_part (part, entries) VALUES ('feodo', 3), ('urlhaus', 4);
  ${numbers(150)} INSERT INTO threat_document SELECT iif(x % 2, 'feodo', 'urlhaus'), x, randomblob(300) FROM n;
  ${numbers(90)} INSERT INTO device (id, device_id, root, first_seen, last_seen, dns_name) SELECT x, 'device-' || x, x, x, x, 'name-' || x FROM n;
  ${numbers(90)} INSERT INTO interface (mac, device, kind, first_seen, last_seen) SELECT 'mac-' || x, x, 'stable', x, x FROM n;
  ${numbers(200)} INSERT INTO lease (address, family, device, observer_id, since, last_seen)
    SELECT '192.168.1.' || x, 4, x % 90 + 1, 'router-1', x, x FROM n;
  ${numbers(90)} INSERT INTO device_observer SELECT x, 'router-1' FROM n;
  ${numbers(80)} INSERT INTO detection (type, detected_at, src) SELECT 'beacon', x, 'a' || x FROM n;
  ${numbers(400)} INSERT INTO session_start SELECT x / 100, x, randomblob(20) FROM n;
  ${numbers(300)} INSERT INTO clock_gap SELECT x, x + 1 FROM n;
  ${numbers(5)} INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at)
    SELECT x, 'agent-' || x, 'linux', 'h', '1', '1', x, x FROM n;
  ${numbers(400)} INSERT INTO agent_observation
    SELECT x / 50, x % 50, 1, randomblob(16), 'TCP', '10.0.0.1', 1, '10.0.0.2', 443, 1, 'curl', NULL, 1, 2, NULL, '99999999999999999999', 'c', 'exact'
    FROM n;
  ${numbers(200)} INSERT INTO router_session SELECT 1, '10.0.0.' || x, x, '203.0.113.1', 443, 'TCP', x, x FROM n`;

/** Makes `file` with the schema of the step `version`; of an older one only the tables of the first step have rows. */
export function makeHubDatabase(file: string, version = Number.POSITIVE_INFINITY): void {
  const db = new Database(file);
  db.pragma(`page_size = ${pageSize}`);
  db.pragma('journal_mode = WAL');
  applyMigrations(db, migrations, version);
  db.exec(`BEGIN; ${logRows}; ${version === Number.POSITIVE_INFINITY ? otherRows : ''}; COMMIT`);
  db.close();
}

/** Every row of every table, with its rowid, as text. */
export function rowsByTable(file: string): Map<string, string[]> {
  const db = new Database(file, { readonly: true });
  const tables = db
    .prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema'",
    )
    .all() as { name: string; wr: number }[];
  const rows = tables.map(({ name, wr }): [string, string[]] => {
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name) as string[];
    const quoted = columns.map((column) => `quote("${column}")`);
    const text = [...(wr === 1 || name === 'sqlite_sequence' ? [] : ['rowid']), ...quoted].join(` || ' ' || `);
    return [name, (db.prepare(`SELECT ${text} FROM "${name}"`).pluck().all() as string[]).sort()];
  });
  db.close();
  return new Map(rows);
}

export interface Page {
  number: number;
  /** The table or index it belongs to. */
  owner: string;
  kind: 'internal' | 'leaf' | 'overflow';
  path: string;
  cells: number;
}

export function pagesOf(file: string): Page[] {
  const db = new Database(file, { readonly: true });
  const pages = db
    .prepare('SELECT pageno AS number, name AS owner, pagetype AS kind, path, ncell AS cells FROM dbstat ORDER BY path')
    .all() as Page[];
  db.close();
  return pages;
}

export function zero(file: string, pages: readonly Page[]): void {
  const handle = openSync(file, 'r+');
  for (const { number } of pages) {
    writeSync(handle, Buffer.alloc(pageSize), 0, pageSize, (number - 1) * pageSize);
  }
  closeSync(handle);
}

/** Flips one bit; returns the number of its page. */
export function flipBit(file: string, bit: number): number {
  const handle = openSync(file, 'r+');
  const at = Math.floor(bit / 8);
  writeSync(handle, Buffer.of((readFileSync(file)[at] ?? 0) ^ (1 << (bit % 8))), 0, 1, at);
  closeSync(handle);
  return Math.floor(at / pageSize) + 1;
}
