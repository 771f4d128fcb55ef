// After a restore nothing of the run that ended is held in memory: its data and caches would stay next to the new ones.
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type HubProcess, startHubProcess } from '../support/hub-process.ts';
import { root } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What is in memory now, as the program says. */
async function inMemory({ program }: HubProcess): Promise<string | undefined> {
  const lines = () => program.stdout().match(/^\{.+\}$/gm) ?? [];
  const said = lines().length;
  program.kill('SIGUSR2');
  return await eventually(
    async () => lines(),
    (all) => all[said],
  );
}

test('restores hold no database and no cache of the runs that they ended', async () => {
  using folder = temporaryFolder();
  await using hub = await startHubProcess({
    dataDir: folder.path,
    adminToken: 'token-of-the-restore-memory-test',
    nodeOptions: ['--import', path.join(root, 'test/support/report-runs.ts')],
  });
  const { name } = await hub.as.admin.backup.create({ body: {} });
  const before = await inMemory(hub);
  expect(JSON.parse(before ?? '')).toMatchObject({ databases: 1 });
  for (let times = 0; times < 3; times += 1) {
    await hub.as.admin.backup.restore({ body: { name } });
  }
  await expect.poll(() => inMemory(hub), { timeout: 20_000 }).toBe(before);
});
