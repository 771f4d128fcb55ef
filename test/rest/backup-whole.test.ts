// Backups and the rest of the hub: who may, what is shown, what goes on meanwhile, and what a failed restore leaves.
import { mkdirSync, readdirSync, statfsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const routers = { a: { kind: 'vendor_a', sessions: 40, seed: 5 } } as const;
const total = async (lab: Lab<string>) => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
const create = async (lab: Lab<string>) => (await lab.as.admin.backup.create({ body: {} })).name;

verifies('rest.backup.all-protected', 'nobody gets in without a credential, and only a few with one', async () => {
  await using lab = await startLab();
  const id = '00000000-0000-4000-8000-000000000000';
  const statusOf = async (method: 'GET' | 'POST' | 'DELETE', route: string, headers: Record<string, string>) => {
    const target = route.replace(':name', 'monitor.db').replace(':jobId', id);
    const body = method === 'POST' ? '{}' : undefined;
    const json = body === undefined ? {} : { 'content-type': 'application/json', body };
    return (await raw(lab.url, { method, path: target, headers: { ...headers, ...json }, ...(body ? { body } : {}) }))
      .status;
  };
  const reader = await lab.as.identity(['network.read', 'notes.write', 'audit.read']);
  const setter = await lab.as.identity(['settings.write']);
  const routes = Object.values(api.backup);
  expect(routes).toHaveLength(10);
  for (const { method, path: route, access } of routes) {
    expect([route, await statusOf(method, route, {})]).toEqual([route, 401]);
    expect([route, await statusOf(method, route, { 'x-admin-token': reader.token })]).toEqual([route, 403]);
    if ('permission' in access && access.permission === 'backup.restore') {
      expect([route, await statusOf(method, route, { 'x-admin-token': setter.token })]).toEqual([route, 403]);
    }
  }
});

verifies(
  'rest.backup.list-inventory rest.backup.inventory-kinds rest.backup.integrity-unchecked',
  'the inventory has normal and pre-migration copies and nothing else, unchecked',
  async () => {
    await using lab = await startLab();
    const name = await create(lab);
    const folder = path.join(lab.dataDir, 'backups');
    const migration = 'monitor_migration-012_2026-01-02_03-04-05-006-0123abcd.db';
    writeFileSync(path.join(folder, migration), 'not a database');
    mkdirSync(path.join(folder, 'monitor_2026-01-01_00-00-00-000-00000000.db'));
    symlinkSync('/etc/hostname', path.join(folder, 'monitor_2026-01-01_00-00-00-000-00000001.db'));
    for (const other of ['notes.txt', `${name}.1.tmp`, 'monitor_2026-13-01_00-00-00-000-00000000.db', 'monitor.db']) {
      writeFileSync(path.join(folder, other), 'x');
    }
    const { backups, diagnostics } = await lab.as.admin.backup.list({});
    expect(backups.map((one) => one.name)).toEqual([name]);
    expect(diagnostics.entries).toMatchObject([
      { name: migration, kind: 'migration', integrity: 'unchecked', schema: null, created: '2026-01-02T03:04:05.006Z' },
      { name, kind: 'normal', integrity: 'unchecked' },
    ]);
  },
);

verifies(
  'rest.backup.list-headroom rest.backup.list-readiness',
  'the room for backups and the next migration',
  async () => {
    await using lab = await startLab();
    await create(lab);
    const { diagnostics } = await lab.as.admin.backup.list({});
    const { summary, entries } = diagnostics;
    const { bavail, bsize } = statfsSync(lab.dataDir);
    const dbSize = statSync(path.join(lab.dataDir, 'monitor.db')).size;
    expect(summary.dbSize).toBeGreaterThanOrEqual(dbSize);
    expect(summary.backupBytes).toBe(entries[0]?.size);
    expect(Math.abs(summary.freeBytes - bavail * bsize)).toBeLessThan(1e9);
    const required = 2 * summary.dbSize + 268_435_456;
    expect(summary).toMatchObject({
      safetyMarginBytes: 268_435_456,
      migrationRequiredBytes: required,
      migrationReady: summary.freeBytes >= required,
      shortfallBytes: Math.max(0, required - summary.freeBytes),
    });
  },
);

verifies('rest.backup.off-loop', 'requests are answered while a backup is made and verified', async () => {
  await using lab = await startLab({ routers });
  const state = { isOver: false, answers: 0 };
  const made = create(lab).finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) {
    expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
    state.answers += 1;
    const { activity } = await lab.as.admin.backup.list({});
    expect(activity === null || activity.what === 'create').toBe(true);
  }
  await made;
  expect(state.answers).toBeGreaterThan(2);
});

test('an upload that is refused meanwhile leaves its connection usable', async () => {
  await using lab = await startLab({ routers });
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  const headers = { 'x-admin-token': lab.adminToken };
  const made = create(lab);
  const target = new URL('/api/backup/upload', lab.url);
  const { statusCode, body } = await request(target, {
    ...{ method: 'POST', headers, dispatcher, body: Buffer.alloc(20_000_000) },
  });
  expect([statusCode, await body.json()]).toMatchObject([409, { code: 'backup_busy' }]);
  const after = await request(new URL('/readyz', lab.url), { dispatcher });
  expect([after.statusCode, await after.body.json()]).toEqual([200, { status: 'ready' }]);
  await made;
  await dispatcher.close();
});

test('live updates and exports end with a restore, and the poll goes on after it', async () => {
  await using lab = await startLab({ routers });
  const name = await create(lab);
  const headers = { 'x-admin-token': lab.adminToken };
  const stream = await fetch(new URL('/api/events', lab.url), { headers });
  const text = stream.text();
  await lab.as.admin.backup.restore({ body: { name } });
  await text;
  // Its first poll, which the clock must not run away from.
  await lab.settled();
  const before = await total(lab);
  lab.routers.a.flow({
    src: '192.168.100.23',
    dst: '198.51.100.7',
    dport: 443,
    proto: 'tcp',
    lastsMs: 600_000,
    ends: 'silent',
  });
  await lab.poll();
  expect(await total(lab)).toBe(before + 1);
});

test('a dismissed beacon stays dismissed, also when the backup does not know it', async () => {
  await using lab = await startLab();
  const name = await create(lab);
  const { Db } = await import('#kernel/sqlite/sqlite.ts');
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => {
    const add =
      writer.prepare(`INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen,
      last_seen, detected_at, status) VALUES ('192.168.1.9', ?, 443, 'TCP', 60000, 0.1, 0.9, 20, 1, 2, 3, ?)`);
    add.run('198.51.100.1', 'dismissed');
    add.run('198.51.100.2', 'candidate');
  });
  await db.close();
  await lab.as.admin.backup.restore({ body: { name } });
  const { beacons } = await lab.as.admin.beacons.list({ query: { includeDismissed: '1' } });
  expect(beacons.map(({ dst, status }) => [dst, status])).toEqual([['198.51.100.1', 'dismissed']]);
});

test.each([0, 20, 60, 150])('a stop %i ms after a restore began leaves the old data or the new', async (afterMs) => {
  await using lab = await startLab({ routers });
  const name = await create(lab);
  await lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: 'of now' } });
  const outcome = lab.as.admin.backup.restore({ body: { name } }).then(
    () => 'new',
    (error: { status?: number }) => (error.status === undefined || error.status >= 500 ? 'old' : String(error)),
  );
  await systemClock.sleep(afterMs);
  await lab.stop();
  const left = readdirSync(lab.dataDir).filter((file) => /former|incoming|restore\.json/.test(file));
  expect([left, await outcome]).toEqual([[], expect.stringMatching(/^(?:old|new)$/)]);
  await lab.restart();
  expect(JSON.stringify(await lab.as.admin.notes.list({})).includes('of now')).toBe((await outcome) === 'old');
  expect(await total(lab)).toBeGreaterThan(30);
});
