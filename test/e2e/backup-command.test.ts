// `gatehouse backup` and `gatehouse salvage` as they are typed: what they print, how they end, what they leave.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { startHubProcess } from '../support/hub-process.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Several programs are started one after another.
vi.setConfig({ testTimeout: 300_000 });

const adminToken = 'token-of-the-backup-command-test';

/** `gatehouse WORDS --data DIR`. */
const gatehouse = (dataDir: string, ...words: string[]) => runProgram(['src/main.ts', ...words, '--data', dataDir]);

const startHub = (dataDir: string) => startHubProcess({ dataDir, adminToken });

/** A data folder that a hub has made, with one backup. */
async function filledFolder() {
  const folder = temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  await using hub = await startHub(dataDir);
  await hub.as.admin.notes.write({ body: { ip: '192.168.1.9', note: 'of then' } });
  await hub.as.admin.config.saveGeneral({ body: { homeCountry: 'DE' } });
  const { name } = await hub.as.admin.backup.create({ body: {} });
  await hub.as.admin.notes.write({ body: { ip: '192.168.1.9', note: 'of now' } });
  await hub.as.admin.config.saveGeneral({ body: { homeCountry: 'FR' } });
  const file = path.join(dataDir, 'backups', name);
  return { dataDir, name, file, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const generations = (dataDir: string) =>
  readdirSync(path.join(dataDir, 'backups')).filter((one) => one.endsWith('.db'));
const notes = (dataDir: string) => readFileSync(path.join(dataDir, '.monitor.notes.json'), 'utf8');
const settings = (dataDir: string) => readFileSync(path.join(dataDir, 'monitor.json'), 'utf8');

test('--help, an unknown word, a missing operand', async () => {
  using folder = temporaryFolder();
  for (const words of [['backup'], ['backup', '--help'], ['backup', 'restore', '--help'], ['salvage', '--help']]) {
    const { code, stdout } = await runProgram(['src/main.ts', ...words]);
    expect([words, code, stdout.startsWith('Usage: gatehouse ')]).toEqual([words, 0, true]);
  }
  expect(await gatehouse(folder.path, 'backup', 'make')).toMatchObject({
    code: 2,
    stderr: 'gatehouse backup: unknown command "make"; it knows create, list, verify, restore (see --help)\n',
  });
  expect(await gatehouse(folder.path, 'backup', 'restore')).toMatchObject({ code: 2, stdout: '' });
  expect(await gatehouse(folder.path, 'backup', 'restore', 'a', 'b')).toMatchObject({ code: 2 });
  expect(await gatehouse(folder.path, 'backup', 'create', '--fast')).toMatchObject({ code: 2 });
});

test('create, list and verify; a running hub is named', async () => {
  using folder = await filledFolder();
  const made = await gatehouse(folder.dataDir, 'backup', 'create');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^monitor_\S+\.db\n$/) });
  expect(generations(folder.dataDir)).toContain(made.stdout.trim());
  const { stdout } = await gatehouse(folder.dataDir, 'backup', 'list', '--json');
  const { entries, summary } = JSON.parse(stdout);
  expect(entries).toHaveLength(2);
  expect(summary.dbSize).toBe(statSync(path.join(folder.dataDir, 'monitor.db')).size);
  await using hub = await startHub(folder.dataDir);
  for (const words of [['create'], ['restore', folder.name]]) {
    const refused = await gatehouse(folder.dataDir, 'backup', ...words);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`process ${hub.program.pid}.*end it first`),
    });
  }
  expect(await gatehouse(folder.dataDir, 'backup', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^(\S+: ok\n){2}$/),
  });
});

test('a restore brings database and notes back, and settings where they are wanted', async () => {
  using folder = await filledFolder();
  const restored = await gatehouse(folder.dataDir, 'backup', 'restore', folder.name);
  expect(restored).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The previous database is kept as the generation'),
  });
  expect(notes(folder.dataDir)).toContain('of then');
  expect(settings(folder.dataDir)).toContain('FR');
  expect(await gatehouse(folder.dataDir, 'backup', 'restore', folder.name, '--with-settings')).toMatchObject({
    code: 0,
  });
  expect(settings(folder.dataDir)).toContain('DE');
  await using hub = await startHub(folder.dataDir);
  expect(await hub.as.admin.config.general({})).toMatchObject({ homeCountry: 'DE' });
});
