// `gatehouse backup` and `gatehouse salvage` as they are typed: what they print, how they end, what they leave.
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { generationAt } from '#hub/storage/backup/inventory.ts';
import { verifyGeneration } from '#hub/storage/backup/verify.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { runProgram } from '../support/program.ts';
import { createRandom } from '../support/random.ts';
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
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('What it was before is the generation') });
  expect(notes(folder.dataDir)).toContain('of then');
  expect(settings(folder.dataDir)).toContain('FR');
  expect(await gatehouse(folder.dataDir, 'backup', 'restore', folder.name, '--with-settings')).toMatchObject({
    code: 0,
  });
  expect(settings(folder.dataDir)).toContain('DE');
  await using hub = await startHub(folder.dataDir);
  expect(await hub.as.admin.config.general({})).toMatchObject({ homeCountry: 'DE' });
});

test('a refused restore leaves everything as it was', async () => {
  using folder = await filledFolder();
  const other = path.join(folder.dataDir, '..', 'other');
  const bytes = readFileSync(folder.file);
  bytes[30_000] = (bytes[30_000] ?? 0) ^ 8;
  const changed = path.join(folder.dataDir, 'backups', folder.name.replace(/.{8}\.db$/, '00000000.db'));
  writeFileSync(changed, bytes);
  writeFileSync(
    `${changed}.json`,
    readFileSync(`${folder.file}.json`, 'utf8').replaceAll(folder.name, path.basename(changed)),
  );
  const before = readFileSync(path.join(folder.dataDir, 'monitor.db'));
  const cases: [words: string[], says: RegExp][] = [
    [[path.basename(changed)], /not what it was when it was made; nothing was changed/],
    [['/etc/hostname'], /not an SQLite database; nothing was changed/],
    [[path.join(folder.dataDir, 'absent.db')], /the file is missing/],
  ];
  for (const [words, says] of cases) {
    expect(await gatehouse(folder.dataDir, 'backup', 'restore', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(says),
    });
  }
  expect(await gatehouse(folder.dataDir, 'backup', 'verify')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`${path.basename(changed)}: its content is not what it was`),
  });
  expect(readFileSync(path.join(folder.dataDir, 'monitor.db'))).toEqual(before);
  // Its secrets are sealed by a key that is not there.
  expect(await gatehouse(other, 'backup', 'restore', folder.file)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/secret\.key is missing.*--without-secrets/),
  });
  expect(readdirSync(other).filter((name) => /monitor/.test(name))).toEqual([]);
});

test('a damaged database is set aside by a restore, and salvaged', async () => {
  using folder = await filledFolder();
  const file = path.join(folder.dataDir, 'monitor.db');
  const bytes = readFileSync(file).subarray(0, 40 * 4096);
  writeFileSync(file, bytes);
  const salvaged = await gatehouse(folder.dataDir, 'salvage');
  expect(salvaged).toMatchObject({ code: 0, stdout: expect.stringMatching(/rows of \d+ tables were read/) });
  expect(generations(folder.dataDir)).toHaveLength(2);
  const restored = await gatehouse(folder.dataDir, 'backup', 'restore', folder.name);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('The damaged database is set aside as') });
  expect(restored.stdout).toMatch(
    /could not be read whole, so nothing was taken over .*every API identity and Agent is revoked/,
  );
  const [aside = ''] = readdirSync(folder.dataDir).filter((name) => name.includes('.damaged-'));
  expect(readFileSync(path.join(folder.dataDir, aside))).toEqual(bytes);
  expect((await gatehouse(folder.dataDir, 'backup', 'list')).stdout).toContain(
    `set aside, damaged: ${folder.dataDir}/${aside}`,
  );
  rmSync(path.join(folder.dataDir, aside));
  await using hub = await startHub(folder.dataDir);
  expect((await hub.as.admin.status.status({})).warnings).toEqual([]);
});

test('what root makes belongs to the user of the hub', async (context) => {
  if (process.getuid?.() !== 0) {
    context.skip('only root can give files to another user');
  }
  using folder = await filledFolder();
  const owner = 54_321;
  const all = () =>
    [folder.dataDir, path.join(folder.dataDir, 'backups')].flatMap((dir) => [
      dir,
      ...readdirSync(dir).map((name) => path.join(dir, name)),
    ]);
  for (const file of all()) {
    chownSync(file, owner, owner);
  }
  for (const words of [['backup', 'create'], ['backup', 'restore', folder.name, '--with-settings'], ['salvage']]) {
    expect([words, (await gatehouse(folder.dataDir, ...words)).code]).toEqual([words, 0]);
    expect(all().filter((file) => statSync(file).uid !== owner)).toEqual([]);
  }
});

test('200 of 200 seeded bit flips in a generation are found', async () => {
  using folder = await filledFolder();
  const random = createRandom(200);
  const good = readFileSync(folder.file);
  let found = 0;
  for (let flip = 0; flip < 200; flip += 1) {
    const bytes = Buffer.from(good);
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeFileSync(folder.file, bytes);
    const stored = generationAt(path.dirname(folder.file), folder.name);
    found += stored && (await verifyGeneration(stored)) !== null ? 1 : 0;
  }
  console.log(`bit flips in a stored generation: ${found} of 200 found`);
  expect(found).toBe(200);
  writeFileSync(folder.file, good);
  const stored = generationAt(path.dirname(folder.file), folder.name);
  expect(stored && (await verifyGeneration(stored))).toBe(null);
});

test('a file without its manifest is looked through, and gets one', async () => {
  using folder = await filledFolder();
  rmSync(`${folder.file}.json`);
  expect(await gatehouse(folder.dataDir, 'backup', 'verify', folder.name)).toMatchObject({ code: 0 });
  expect(existsSync(`${folder.file}.json`)).toBe(true);
  mkdirSync(path.join(folder.dataDir, 'x'));
  copyFileSync(folder.file, path.join(folder.dataDir, 'x', 'any-name.db'));
  const words = ['backup', 'restore', path.join(folder.dataDir, 'x', 'any-name.db')];
  expect(await gatehouse(folder.dataDir, ...words)).toMatchObject({ code: 0 });
});
