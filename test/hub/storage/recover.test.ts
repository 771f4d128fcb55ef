// A start with a damaged database: it is set aside, the newest whole generation takes its place, and everybody is told so.
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readStranger } from '#kernel/database-copy.ts';
import { enrolAgent } from '../../support/agents.ts';
import { startDetectionLab } from '../../support/detection-lab.ts';
import { eventually } from '../../support/eventually.ts';
import { type Lab, startLab } from '../../support/lab.ts';
import { refusal } from '../../support/refusal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const routers = { a: { kind: 'vendor_a', sessions: 40, seed: 5 } } as const;
const total = async (lab: Lab<string>) => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
const create = async (lab: Lab<string>) => (await lab.as.admin.backup.create({ body: {} })).name;
const warnings = async (lab: Lab<string>) => (await lab.as.admin.status.status({})).warnings;
const setAside = (lab: Lab<string>) => readdirSync(lab.dataDir).filter((name) => /\.damaged-[\dTZ-]+$/.test(name));

/** Cuts the database of a stopped hub in the middle; resolves to what is left of it. */
function cut(lab: Lab<string>): Buffer {
  const file = path.join(lab.dataDir, 'monitor.db');
  truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
  return readFileSync(file);
}

test('the newest generation that is whole is used, and what was revoked since is revoked', async () => {
  await using lab = await startLab({ routers });
  const before = await total(lab);
  const { agentId } = await enrolAgent(lab);
  const good = await create(lab);
  await lab.advance(1000);
  const bad = path.join(lab.dataDir, 'backups', await create(lab));
  await lab.as.admin.agents.revoke({ params: { agentId }, body: {} });
  const bytes = readFileSync(bad);
  bytes[50_000] = (bytes[50_000] ?? 0) ^ 4;
  writeFileSync(bad, bytes);
  await lab.stop();
  const damaged = cut(lab);
  await lab.restart();
  expect(await total(lab)).toBe(before);
  const [aside = ''] = setAside(lab);
  expect(readFileSync(path.join(lab.dataDir, aside))).toEqual(damaged);
  expect(await warnings(lab)).toContainEqual(expect.stringMatching(`set aside as .*${aside}: gatehouse salvage`));
  const { agents } = await lab.as.admin.agents.list({});
  expect(agents).toMatchObject([{ agentId, revokedAt: expect.any(Number) }]);
  expect((await lab.as.raw({ method: 'GET', path: '/readyz' })).body).toEqual({ status: 'ready' });
  await lab.restart();
  expect(await total(lab)).toBe(before);
  expect(readdirSync(path.join(lab.dataDir, 'backups'))).toContain(good);
});

test('the chat workspace hears of it once', async () => {
  await using lab = await startDetectionLab();
  await create(lab);
  await lab.stop();
  cut(lab);
  await lab.restart();
  const message = await eventually(
    async () => {
      await lab.advance(1000);
      return lab.told();
    },
    (all) => all.find((text) => text.includes('Damaged data')),
    20_000,
  );
  expect(message).toMatch(/set aside as .*gatehouse salvage/);
  const count = lab.told().length;
  await lab.restart();
  await lab.advance(120_000);
  expect(lab.told()).toHaveLength(count);
});

test('a disk of backups that is away ends nothing but the backups, and is said', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a file');
  writeFileSync(file, '');
  await using lab = await startLab({ routers, hub: { backupDir: path.join(file, 'backups') } });
  expect(await total(lab)).toBeGreaterThan(0);
  expect(await warnings(lab)).toContainEqual(
    expect.stringMatching(/^the backup folder \S+ .*there are no backups until it can/),
  );
  expect((await lab.as.admin.backup.list({})).backups).toEqual([]);
  const failed = await refusal(lab.as.admin.backup.create({ body: {} }));
  expect(failed).toMatchObject({ status: 500, code: 'backup_failed' });
});

test('a restore over a database that nobody can read says what is missing and what to do', async () => {
  await using lab = await startLab({ routers });
  const name = await create(lab);
  const kept = await lab.as.admin.backup.restore({ body: { name } });
  expect(kept.message).not.toMatch(/could not be read/);
  const file = path.join(lab.dataDir, 'monitor.db');
  const page = readStranger(file, (reader) =>
    Number(reader.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'ai_usage'").pluck().get()),
  );
  // In its place, as a disk does it: the hub has it open.
  writeFileSync(file, readFileSync(file).fill(0xa5, (page - 1) * 4096, page * 4096), { flag: 'r+' });
  const { message } = await lab.as.admin.backup.restore({ body: { name } });
  expect(message).toMatch(
    /what it was before is \S+\.damaged-\S+\. The database before could not be read whole.* audit trail .*every API identity and Agent is revoked/,
  );
});
