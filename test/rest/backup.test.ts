// Backups over HTTP: made, listed, downloaded, restored, uploaded; what ended since stays ended.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createBrowser, raw } from '../support/actors.ts';
import { agentClient, enrolAgent } from '../support/agents.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const routers = { a: { kind: 'vendor_a', sessions: 40, seed: 5 } } as const;
const named = /^monitor_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d{3}-[0-9a-f]{8}\.db$/;
const total = async (lab: Lab<string>) => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
const fileOf = (lab: Lab<string>, name: string) => path.join(lab.dataDir, 'backups', name);
const create = async (lab: Lab<string>) => (await lab.as.admin.backup.create({ body: {} })).name;

function upload(lab: Lab<string>, body: Buffer, headers: Record<string, string> = {}) {
  return lab.as.raw({ method: 'POST', path: '/api/backup/upload', headers, body });
}

verifies(
  'rest.backup.create rest.backup.generation-named rest.backup.list-generations',
  'a backup is a whole copy with a name, and is listed',
  async () => {
    await using lab = await startLab({ routers });
    await lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: 'the printer' } });
    const name = await create(lab);
    expect(name).toMatch(named);
    const list = await lab.as.admin.backup.list({});
    const size = readFileSync(fileOf(lab, name)).length;
    const created = new Date(lab.clock.now()).toISOString();
    expect(list.backups).toEqual([{ name, size, created }]);
    expect(list.diagnostics.entries).toEqual([
      { name, kind: 'normal', size, created, integrity: 'unchecked', errorFacts: [], schema: expect.any(Number) },
    ]);
    const copy = new Database(fileOf(lab, name), { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(copy.prepare('SELECT count(*) FROM flow').pluck().get()).toBe(await total(lab));
    const documents = copy.prepare('SELECT name, content FROM generation_document ORDER BY name').all();
    expect(documents).toMatchObject([{ name: 'notes' }, { name: 'settings' }]);
    const text = JSON.stringify(documents);
    expect(text).toContain('the printer');
    expect(text).toContain('\\"passwordRecord\\":null');
    expect(text).not.toContain(lab.routers.a.credentials.password);
    copy.close();
  },
);

verifies(
  'rest.backup.restore rest.restore.safety-backup rest.restore.reopens',
  'a restore brings the rows of then back',
  async () => {
    await using lab = await startLab({ routers });
    const before = await total(lab);
    await lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: 'of then' } });
    const name = await create(lab);
    await lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: 'of now' } });
    lab.routers.a.flow({
      src: '192.168.100.23',
      dst: '198.51.100.7',
      dport: 443,
      proto: 'tcp',
      lastsMs: 600_000,
      ends: 'silent',
    });
    await lab.advance(60_000);
    expect(await total(lab)).toBeGreaterThan(before);
    lab.routers.a.clearTable();
    const { success, message } = await lab.as.admin.backup.restore({ body: { name } });
    expect(success).toBe(true);
    expect(message).toMatch(/^Restored the backup of \d+ \w+ \d{4}, \d\d:\d\d UTC\. /);
    expect(await total(lab)).toBe(before);
    expect(JSON.stringify(await lab.as.admin.notes.list({}))).toContain('of then');
    const { backups } = await lab.as.admin.backup.list({});
    expect(backups).toHaveLength(2);
    expect(message).toContain(backups[1]?.name);
    await lab.poll();
    expect(await total(lab)).toBeGreaterThanOrEqual(before);
    await lab.restart();
    expect(await total(lab)).toBeGreaterThanOrEqual(before);
  },
);

describe('what ended since a backup stays ended after it is restored', () => {
  verifies(
    'rest.restore.revokes-sessions',
    'sessions, identities, Agents, dismissed beacons; the audit trail goes on',
    async () => {
      await using lab = await startLab({ routers });
      const revoked = await lab.as.identity(['network.read']);
      const active = await lab.as.identity(['network.read']);
      const [gone, there] = [await enrolAgent(lab), await enrolAgent(lab)];
      const held = Object.fromEntries((await lab.as.browser()).cookies);
      const name = await create(lab);
      await lab.as.admin.auth.revokeIdentity({ params: { id: revoked.id }, body: {} });
      await lab.as.admin.agents.revoke({ params: { agentId: gone.agentId }, body: {} });
      const later = await lab.as.identity(['network.read']);
      const opens = (call: Promise<unknown>) =>
        call.then(
          () => true,
          () => false,
        );
      const agent = (token: string) => opens(agentClient(lab.url, token).agents.capabilities({}));
      const reads = async (token: string) =>
        (await raw(lab.url, { method: 'GET', path: '/api/connections/memory', headers: { 'x-admin-token': token } }))
          .status === 200;
      const all = async () => [
        await reads(revoked.token),
        await reads(active.token),
        await reads(later.token),
        await agent(gone.token),
        await agent(there.token),
        (await createBrowser(lab.url, {}, held).get('/api/status')).status,
      ];
      expect(await all()).toEqual([false, true, true, false, true, 200]);
      await lab.as.admin.backup.restore({ body: { name } });
      expect(await all()).toEqual([false, true, true, false, true, 401]);
      await lab.restart();
      expect(await all()).toEqual([false, true, true, false, true, 401]);
      const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '500' } });
      const types = events.map(({ eventType }) => eventType);
      expect(types).toEqual(
        expect.arrayContaining(['backup_created', 'api_identity_revoked', 'agent_revoked', 'backup_restored']),
      );
    },
  );

  test('a bearer that was rotated since is the one that works', async () => {
    await using lab = await startLab();
    const { token: old } = await enrolAgent(lab);
    const name = await create(lab);
    const { token } = await agentClient(lab.url, old).agents.rotate({ body: {} });
    await agentClient(lab.url, token).agents.capabilities({});
    await lab.as.admin.backup.restore({ body: { name } });
    await agentClient(lab.url, token).agents.capabilities({});
    expect((await refusal(agentClient(lab.url, old).agents.capabilities({}))).status).toBe(401);
  });
});

describe('download and upload', () => {
  verifies('rest.backup.download rest.backup.upload', 'what was downloaded can be uploaded', async () => {
    await using lab = await startLab({ routers });
    const before = await total(lab);
    const name = await create(lab);
    const address = new URL(`/api/backup/download/${name}`, lab.url);
    const answer = await fetch(address, { headers: { 'x-admin-token': lab.adminToken } });
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.equals(readFileSync(fileOf(lab, name)))).toBe(true);
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(body.length),
      'cache-control': 'no-store',
      'content-digest': digest,
    });
    // No digest where the manifest is missing, or of a file of another size.
    const manifest = readFileSync(`${fileOf(lab, name)}.json`, 'utf8');
    for (const change of [
      () => rmSync(`${fileOf(lab, name)}.json`),
      () => writeFileSync(`${fileOf(lab, name)}.json`, manifest.replace(/"size": \d+/, '"size": 1')),
    ]) {
      change();
      const again = await fetch(address, { headers: { 'x-admin-token': lab.adminToken } });
      expect([again.headers.get('content-digest'), (await again.bytes()).length]).toEqual([null, body.length]);
    }
    writeFileSync(`${fileOf(lab, name)}.json`, manifest);
    const sent = await upload(lab, body, { 'content-type': 'application/octet-stream', 'content-digest': digest });
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        success: true,
        message: expect.stringContaining('Log in again'),
        former: expect.stringMatching(named),
        missing: null,
      },
    ]);
    expect(await total(lab)).toBe(before);
    expect((await upload(lab, body, { 'content-type': 'application/json' })).status).toBe(200);
    expect((await upload(lab, body)).status).toBe(200);
  });

  verifies('rest.backup.check', 'a file that could be restored is described, and nothing changes', async () => {
    await using lab = await startLab({ routers });
    const body = readFileSync(fileOf(lab, await create(lab)));
    const { schemaVersion } = await lab.as.admin.status.status({});
    await lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: 'after the backup' } });
    const check = (bytes: Buffer) => lab.as.raw({ method: 'POST', path: '/api/backup/check', body: bytes });
    const found = await check(body);
    expect([found.status, found.body]).toEqual([200, { success: true, size: body.length, schema: schemaVersion }]);
    const refused = await check(body.subarray(0, 8192));
    expect([refused.status, refused.body]).toMatchObject([400, { code: 'upload_rejected' }]);
    expect(Object.values((await lab.as.admin.notes.list({})).notes)).toEqual(['after the backup']);
    expect((await lab.as.admin.backup.list({})).backups).toHaveLength(1);
    expect(readdirSync(lab.dataDir).filter((name) => /incoming|upload/.test(name))).toEqual([]);
  });

  verifies('rest.backup.upload-100-mb rest.errors.413-upload', 'more than 100 MB are refused', async () => {
    await using lab = await startLab();
    const refused = await upload(lab, Buffer.alloc(104_857_601));
    expect([refused.status, refused.body]).toMatchObject([413, { code: 'payload_too_large' }]);
  });

  verifies(
    'rest.restore.validates-source',
    'what is no whole database of this product is refused, and nothing changes',
    async () => {
      await using lab = await startLab({ routers });
      const before = await total(lab);
      const name = await create(lab);
      const good = readFileSync(fileOf(lab, name));
      const changed = (sql: string) => {
        const file = path.join(lab.dataDir, 'changed.db');
        writeFileSync(file, good);
        const db = new Database(file);
        db.unsafeMode();
        db.exec(sql);
        db.close();
        return readFileSync(file);
      };
      const cases: [what: string, body: Buffer, says: RegExp][] = [
        ['nothing', Buffer.alloc(0), /raw file/],
        ['99 bytes', good.subarray(0, 99), /raw file/],
        ['text', Buffer.from('x'.repeat(5000)), /not an SQLite database/],
        ['half a file', good.subarray(0, 8192), /cut/],
        ['another program', changed('PRAGMA application_id = 7'), /another program/],
        ['a newer schema', changed('PRAGMA user_version = 900'), /newer/],
        ['a trigger', changed('CREATE TRIGGER t AFTER DELETE ON session BEGIN DELETE FROM flow; END'), /trigger t/],
        ['a view', changed('CREATE VIEW v AS SELECT 1'), /view v/],
        [
          'a trigger with a name as of SQLite',
          changed(`PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_t', 'audit_event', 0,
            'CREATE TRIGGER sqlite_t AFTER INSERT ON audit_event BEGIN DELETE FROM flow; END')`),
          /trigger sqlite_t/,
        ],
        [
          'a column in a comment',
          changed(`PRAGMA writable_schema = ON; UPDATE sqlite_schema
            SET sql = replace(sql, 'sorted.' || char(10), 'sorted. ') WHERE name = 'api_identity'`),
          /table api_identity/,
        ],
        ['a table less', changed('DROP TABLE session_start'), /session_start/],
        ['no schema', changed('PRAGMA user_version = 0'), /no schema/],
      ];
      for (const [what, body, says] of cases) {
        const refused = await upload(lab, body);
        expect([what, refused.status, refused.body]).toMatchObject([
          what,
          400,
          { code: 'upload_rejected', error: expect.stringMatching(says) },
        ]);
        expect(await total(lab)).toBe(before);
      }
      const wrong = await upload(lab, good, { 'content-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` });
      expect([wrong.status, wrong.body]).toMatchObject([400, { code: 'digest_mismatch' }]);
      expect((await lab.as.admin.backup.list({})).backups).toHaveLength(1);
    },
  );
});

test('a generation that is not what it was is not restored', async () => {
  await using lab = await startLab({ routers });
  const name = await create(lab);
  const bytes = readFileSync(fileOf(lab, name));
  bytes[bytes.length - 1000] = (bytes[bytes.length - 1000] ?? 0) ^ 1;
  writeFileSync(fileOf(lab, name), bytes);
  const refused = await refusal(lab.as.admin.backup.restore({ body: { name } }));
  expect(refused).toMatchObject({ status: 409, code: 'generation_damaged' });
  const unknown = 'monitor_2026-01-01_00-00-00-000-00000000.db';
  for (const other of [unknown, '../monitor.db', 'monitor.db', `${name}.json`]) {
    expect((await refusal(lab.as.admin.backup.restore({ body: { name: other } }))).status).toBe(404);
    expect((await refusal(lab.as.admin.backup.download({ params: { name: other } }))).status).toBe(404);
  }
});

verifies(
  'rest.backup.config rest.backup.list-retention rest.backup.auto-prune-off',
  'the settings are read and saved',
  async () => {
    await using lab = await startLab();
    const config = async () => (await lab.as.admin.backup.list({})).config;
    const initial = { intervalHours: 24, maxGenerations: 7, maxBackupBytes: 0, autoPrune: false };
    expect(await config()).toEqual(initial);
    const save = (body: Record<string, unknown>) => lab.as.admin.backup.config({ body });
    expect(await save({ intervalHours: '48', autoPrune: true })).toEqual({
      success: true,
      config: { ...initial, intervalHours: 48, autoPrune: true },
    });
  },
);

verifies(
  'rest.backup.interval-positive rest.backup.max-generations-2 rest.backup.max-bytes-non-negative',
  'settings out of range change nothing',
  async () => {
    await using lab = await startLab();
    const config = async () => (await lab.as.admin.backup.list({})).config;
    const before = await config();
    const save = (body: Record<string, unknown>) => lab.as.admin.backup.config({ body });
    for (const body of [
      { intervalHours: 0 },
      { intervalHours: 1.5 },
      { intervalHours: -1 },
      { maxGenerations: 1 },
      { maxBackupBytes: -1 },
      { maxBackupBytes: 2 ** 53 },
      { autoPrune: 'true' },
      { other: 1 },
    ]) {
      expect([body, (await refusal(save(body))).status]).toEqual([body, 400]);
    }
    expect(await config()).toEqual(before);
    await save({ intervalHours: Number.MAX_SAFE_INTEGER });
    expect((await config()).intervalHours).toBe(Number.MAX_SAFE_INTEGER);
  },
);

test('a backup is made at the start when there is none, and then after each interval, however long that is', async () => {
  await using lab = await startLab({ hub: { scheduledBackups: true } });
  const made = async () => (await lab.as.admin.backup.list({})).backups.length;
  await lab.as.admin.backup.config({ body: { intervalHours: 597 } });
  await lab.advance(30_000);
  expect(await made()).toBe(1);
  await lab.skip(596 * 3_600_000);
  expect(await made()).toBe(1);
  await lab.skip(3_600_000);
  await lab.advance(60_000);
  expect(await made()).toBe(2);
  await lab.restart();
  await lab.advance(30_000);
  expect(await made()).toBe(2);
});
