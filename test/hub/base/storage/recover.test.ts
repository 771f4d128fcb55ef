// A start with a damaged database, or without a disk of backups, in a whole hub: who is told so.
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startDetectionLab } from '../../../support/detection-lab.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Lab, startLab } from '../../../support/lab.ts';
import { refusal } from '../../../support/refusal.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const routers = { a: { kind: 'vendor_a', sessions: 40, seed: 5 } } as const;
const total = async (lab: Lab<string>) => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
const create = async (lab: Lab<string>) => (await lab.as.admin.backup.create({ body: {} })).name;
const warnings = async (lab: Lab<string>) => (await lab.as.admin.status.status({})).warnings;

/** Cuts the database of a stopped hub in the middle. */
function cut(lab: Lab<string>): void {
  const file = path.join(lab.dataDir, 'monitor.db');
  truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
}

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
