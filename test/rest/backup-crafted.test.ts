// Uploads that were made to keep what is true now from being carried over: revoked credentials, the audit trail.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';

/** The file of a new backup. */
async function backupOf(lab: Lab<string>): Promise<string> {
  const { name } = await lab.as.admin.backup.create({ body: {} });
  return path.join(lab.dataDir, 'backups', name);
}

const upload = (lab: Lab<string>, file: string) =>
  lab.as.raw({ method: 'POST', path: '/api/backup/upload', body: readFileSync(file) });

const statusOf = async (lab: Lab<string>, token: string) =>
  (await raw(lab.url, { method: 'GET', path: '/api/connections/memory', headers: { 'x-admin-token': token } })).status;

const audited = async (lab: Lab<string>) =>
  (await lab.as.admin.auth.auditEvents({ query: { limit: '500' } })).events.map(({ eventId }) => eventId);

test('identities that swapped their ids do not end the credentials of now, and the audit trail goes on', async () => {
  await using lab = await startLab();
  const [one, other] = [await lab.as.identity(['network.read']), await lab.as.identity(['network.read'])];
  const crafted = path.join(lab.dataDir, 'crafted.db');
  writeFileSync(crafted, readFileSync(await backupOf(lab)));
  const db = new Database(crafted);
  const rename = db.prepare('UPDATE api_identity SET id = ? WHERE id = ?');
  rename.run('aside', one.id);
  rename.run(one.id, other.id);
  rename.run('a new id', 'aside');
  db.close();
  const before = await audited(lab);
  expect(await upload(lab, crafted)).toMatchObject({ status: 200 });
  expect([await statusOf(lab, one.token), await statusOf(lab, other.token)]).toEqual([200, 200]);
  expect(await audited(lab)).toEqual(expect.arrayContaining(before));
});

test('what an upload tells otherwise of the audit trail is not believed', async () => {
  await using lab = await startLab();
  await lab.as.identity(['network.read']);
  const crafted = path.join(lab.dataDir, 'crafted.db');
  writeFileSync(crafted, readFileSync(await backupOf(lab)));
  const db = new Database(crafted);
  const trigger = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'audit_event_no_update'").pluck().get();
  db.exec(`DROP TRIGGER audit_event_no_update;
    UPDATE audit_event SET event_type = 'login', created_at = created_at - 1000, path = '/other';
    ${String(trigger)}`);
  db.close();
  const events = async () => (await lab.as.admin.auth.auditEvents({ query: { limit: '500' } })).events;
  const before = await events();
  expect(await upload(lab, crafted)).toMatchObject({ status: 200 });
  expect(await events()).toEqual(expect.arrayContaining(before));
});

test('a database with another encoding of texts, which cannot be attached, is refused', async () => {
  await using lab = await startLab();
  const good = new Database(await backupOf(lab), { readonly: true });
  const [crafted, before] = [path.join(lab.dataDir, 'crafted.db'), await audited(lab)];
  const wide = new Database(crafted);
  wide.pragma("encoding = 'UTF-16'");
  const made = good
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'")
    .pluck();
  wide.exec((made.all() as string[]).join(';\n'));
  for (const name of ['user_version', 'application_id']) {
    wide.pragma(`${name} = ${Number(good.pragma(name, { simple: true }))}`);
  }
  for (const db of [good, wide]) {
    db.close();
  }
  expect(await upload(lab, crafted)).toMatchObject({
    status: 400,
    body: { code: 'upload_rejected', error: expect.stringContaining('UTF-8') },
  });
  expect(await audited(lab)).toEqual(expect.arrayContaining(before));
});
