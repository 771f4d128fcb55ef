// A schema that is not what the program made, as one flipped bit leaves it: whoever asks hears of damage.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';

test('a column that is not there any more is damage of the database, and the hub is not ready', async () => {
  await using lab = await startLab({
    routers: { a: { kind: 'vendor_a', sessions: 20 } },
    hub: { startsReaders: true },
  });
  const db = new Database(path.join(lab.dataDir, 'monitor.db'));
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec(`UPDATE sqlite_schema SET sql = replace(sql, 'held_since', 'held_sinse') WHERE name = 'source'`);
  db.pragma(`schema_version = ${Number(db.pragma('schema_version', { simple: true })) + 1}`);
  db.close();
  const list = () => lab.as.admin.connections.list({ query: { limit: '1' } });
  expect(await refusal(list())).toMatchObject({ status: 500, code: 'database_damaged' });
  const { status, body } = await lab.as.raw({ method: 'GET', path: '/readyz' });
  expect([status, JSON.stringify(body)]).toEqual([503, expect.stringMatching(/database_damaged|reads_fail/)]);
});
