// What a caller is told is saved survives a power cut: the commit syncs the disk. Polls, which come again, do not wait for it.
// The level of each commit is read where SQLite takes it: triggers note `PRAGMA synchronous` of the hub's own connection.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Actors } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';

/** https://sqlite.org/pragma.html#pragma_synchronous */
const levels = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];
const tables = [
  'session',
  'api_identity',
  'device',
  'device_merge',
  'merge_candidate',
  'beacon',
  'flow',
  'audit_event',
];

function watchCommits(lab: Lab<string>) {
  const db = new Database(path.join(lab.dataDir, 'monitor.db'));
  db.exec('CREATE TABLE by_test (name TEXT, level INTEGER)');
  for (const table of tables) {
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      db.exec(
        `CREATE TRIGGER by_test_${table}_${change} AFTER ${change} ON ${table}
         BEGIN INSERT INTO by_test SELECT '${table}', synchronous FROM pragma_synchronous; END`,
      );
    }
  }
  return {
    /** Tables changed by `work` with the level of each change. */
    async during(work: () => Promise<unknown>): Promise<Record<string, string[]>> {
      db.exec('DELETE FROM by_test');
      await work();
      await lab.settled();
      const rows = db.prepare('SELECT DISTINCT name, level FROM by_test').all() as { name: string; level: number }[];
      const seen: Record<string, string[]> = {};
      for (const { name, level } of rows) {
        seen[name] = [...(seen[name] ?? []), levels[level] ?? String(level)];
      }
      return seen;
    },
    run: (sql: string) => db.prepare(sql).run(),
    [Symbol.dispose]: () => db.close(),
  };
}

test('every change that an answer confirms is synced, polls are not', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  lab.routers.a.flow({ src: '192.168.100.7', dst: '203.0.113.80', dport: 443 });
  using commits = watchCommits(lab);
  const polled = await commits.during(() => lab.poll());
  expect(polled).toMatchObject({ flow: ['NORMAL'], device: ['NORMAL'] });
  commits.run(
    `INSERT INTO beacon (id, src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen,
       detected_at, status) VALUES (1, 'a', 'b', 1, 'TCP', 60000, 0, 1, 9, 0, 1, 1, 'candidate')`,
  );
  const { devices } = await lab.as.admin.devices.list({ query: {} });
  const [keepId = '', dropId = ''] = devices.map(({ deviceId }) => deviceId);
  commits.run(
    `INSERT INTO merge_candidate (id, a, b, score, reasons, counter_reasons, created_at)
     SELECT 7, min(id), max(id), 1, '[]', '[]', 0 FROM (SELECT id FROM device ORDER BY id LIMIT 2 OFFSET 2)`,
  );
  const { admin } = lab.as;
  const state: { id: string; sessions: string[] } = { id: '', sessions: [] };
  const made = async (actors: Actors) => {
    state.id = (await actors.identity(['network.read'])).id;
  };
  const steps: [what: string, table: string, work: () => Promise<unknown>][] = [
    ['a login', 'session', () => lab.as.browser()],
    ['a logout', 'session', async () => (await lab.as.browser()).post('/api/auth/logout')],
    ['the end of all sessions', 'session', () => admin.auth.revokeAllSessions({ body: { includeSelf: true } })],
    ['a new identity', 'api_identity', () => made(lab.as)],
    ['a revoked identity', 'api_identity', () => admin.auth.revokeIdentity({ params: { id: state.id }, body: {} })],
    ['a merge', 'device_merge', () => admin.devices.merge({ body: { keepId, dropId } })],
    ['a note', 'device', () => admin.notes.write({ body: { deviceId: keepId, note: 'the printer' } })],
    ['a split', 'device_merge', () => admin.devices.split({ body: { deviceId: dropId } })],
    ['a rejected pair', 'merge_candidate', () => admin.devices.reject({ body: { id: 7 } })],
    ['an archived device', 'device', () => admin.devices.archive({ body: { deviceId: dropId } })],
    ['an active device', 'device', () => admin.devices.unarchive({ body: { deviceId: dropId } })],
    ['a dismissal', 'beacon', () => admin.beacons.dismiss({ params: { id: '1' }, body: {} })],
  ];
  for (const [what, table, work] of steps) {
    expect((await commits.during(work))[table], what).toEqual(['FULL']);
  }
  expect(await commits.during(() => lab.poll())).toMatchObject({ flow: ['NORMAL'] });
  expect(readdirSync(lab.dataDir)).toContain('.monitor.notes.json');
});
