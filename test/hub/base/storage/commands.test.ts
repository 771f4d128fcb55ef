// `gatehouse backup` and `gatehouse salvage` in this process: what they print, how they end, and what lies there then.
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createGenerationName, parseGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { readManifest } from '#hub/base/storage/backup/manifest.ts';
import { runBackup } from '#hub/base/storage/commands/backup.ts';
import { runSalvage } from '#hub/base/storage/commands/salvage.ts';
import { createSetAsideName } from '#hub/base/storage/damage/set-aside.ts';
import { openDataFolder } from '#hub/base/storage/data-folder.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { formatSize } from '#hub/base/storage/disk-space.ts';
import { readNewestSchema } from '#hub/base/storage/product.ts';
import { toReplacementFiles } from '#hub/base/storage/restore/replacement.ts';
import { createLog } from '#kernel/process/log.ts';
import { createKey, seal } from '#kernel/text/secret.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { fakeDisk } from '../../../support/fake-disk.ts';
import { runs } from '../../../support/property-runs.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const root = makeFolder('commands');
const model = path.join(root, 'model');
const data = path.join(root, 'data');
const at = (...names: string[]) => path.join(data, ...names);
const file = at('monitor.db');
const key = createKey();
/** The generation in each data folder: rows, notes and settings of then. */
let name = '';
const created = () => isoTime(parseGenerationName(name)?.createdAt ?? 0);

/** Makes rows, notes and settings in a folder those of `when`. */
async function fill(folder: string, when: string): Promise<void> {
  const db = openDatabase(path.join(folder, 'monitor.db'));
  await db.write((writer) => {
    writer.prepare('DELETE FROM observer').run();
    writer.prepare("INSERT INTO observer (router_id, kind) VALUES (?, 'vendor_a')").run(when);
  });
  await db.close();
  writeFileSync(path.join(folder, '.monitor.notes.json'), JSON.stringify({ '192.168.1.9': when }));
  const [password, auditKey, link] = [seal(when, key), seal(when, key), seal(when, key)];
  const content = {
    when,
    port: 1,
    mail: { password, none: null },
    auditKey,
    list: [link, 'open'],
    adminTokenHash: 'a',
  };
  writeFileSync(path.join(folder, 'monitor.json'), JSON.stringify(content));
}

const rowsOf = (database: string): string => {
  const db = new Database(database, { readonly: true });
  const rows = db.prepare('SELECT router_id FROM observer').pluck().all();
  db.close();
  return rows.join();
};
const json = (place: string): Record<string, unknown> => JSON.parse(readFileSync(place, 'utf8'));
/** Rows, notes and settings, each of when it is. */
const sides = () => [rowsOf(file), json(at('.monitor.notes.json'))['192.168.1.9'], json(at('monitor.json')).when];
const generations = () => readdirSync(at('backups')).filter((one) => one.endsWith('.db'));
/** The generation that a command has made. */
const other = () => generations().find((one) => one !== name) ?? 'none';

/** The exit code of a command, and what it printed. */
async function printed(command: () => Promise<number>) {
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockReturnValue(true),
  );
  try {
    const code = await command();
    const [out, err] = spies.map(({ mock }) => mock.calls.map(([text]) => String(text)).join(''));
    return { code, out, err };
  } finally {
    spies.forEach((spy) => void spy.mockRestore());
  }
}
const backup = (...words: string[]) => printed(() => runBackup([...words, '--data', data]));
const salvage = (...words: string[]) => printed(() => runSalvage([...words, '--data', data]));
/** What a command prints on a terminal. */
async function onTerminal(command: () => ReturnType<typeof printed>) {
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  return await command().finally(() => Object.assign(process.stderr, { isTTY }));
}
const failed = (says: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(says) });

beforeAll(async () => {
  mkdirSync(model);
  await fill(model, 'then');
  writeFileSync(path.join(model, 'secret.key'), `${key}\n`);
  name = (await printed(() => runBackup(['create', '--data', model]))).out?.trim() ?? '';
  await fill(model, 'now');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  cpSync(model, data, { recursive: true, preserveTimestamps: true });
});
afterEach(() => void vi.unstubAllEnvs());

test('create prints the name of a whole generation, and its steps on a terminal; without data there is none', async () => {
  const made = await onTerminal(() => backup('create'));
  const generation = at('backups', other());
  const { size, sha256 } = readManifest(generation) ?? {};
  expect(made).toEqual({
    ...{ code: 0, out: `${other()}\n` },
    err: `copying …\nverifying …\n${generation} (${formatSize(size ?? 0)}, SHA-256 ${sha256})\n`,
  });
  expect([rowsOf(generation), generations().length]).toEqual(['now', 2]);
  rmSync(file);
  expect(await backup('create')).toEqual(failed(/monitor\.db holds no data: name the folder/));
  expect([existsSync(file), generations().length]).toEqual([false, 2]);
});

test('while a hub has the folder, list and verify work; what changes it names the process', async () => {
  using _hub = openDataFolder({ dataDir: data, log: createLog('hub', 'silent') });
  const refused = failed(new RegExp(`another gatehouse hub \\(process ${process.pid}\\) is using the data directory`));
  for (const words of [['create'], ['restore', name]]) {
    expect(await backup(...words)).toEqual(refused);
  }
  expect(await salvage()).toEqual(refused);
  expect(await backup('verify')).toEqual({ code: 0, out: `${name}: ok\n`, err: '' });
  expect(await backup('list')).toMatchObject({ code: 0, err: '' });
});

test('list has a line for each generation and each database that was set aside', async () => {
  const [older, rotten] = [createGenerationName(1, 7), createGenerationName(2)];
  cpSync(at('backups', name), at('backups', older));
  writeFileSync(at('backups', rotten), 'x');
  const aside = createSetAsideName(file, 1);
  writeFileSync(aside, '');
  const { size } = statSync(at('backups', name));
  const shown = formatSize(size).padStart(7);
  const { out } = await backup('list');
  expect(out?.replace(/, .* free/, ', R free').split('\n')).toEqual([
    `${older}  migration  ${shown}  schema ${readNewestSchema()}`,
    `${rotten}  normal      0.0 MB  schema ?`,
    `${name}  normal     ${shown}  schema ${readNewestSchema()}`,
    '3 generations, R free',
    `set aside, damaged: ${aside} (gatehouse salvage reads what is left of it)`,
    '',
  ]);
  expect(JSON.parse((await backup('list', '--json')).out ?? '')).toMatchObject({
    entries: [{ name: older, kind: 'migration', size }, { name: rotten }, { name, integrity: 'unchecked' }],
    summary: { dbSize: statSync(file).size, backupBytes: 2 * size + 1, freeBytes: expect.any(Number) },
    setAside: [aside],
  });
  rmSync(at('backups'), { recursive: true });
  expect(await backup('list')).toEqual(failed(/backups does not exist: name the folder/));
});

test('verify has a line for each generation, or for those that are named, and fails when one cannot be used', async () => {
  const copy = createGenerationName(1);
  cpSync(at('backups', name), at('backups', copy));
  expect(await backup('verify')).toEqual({ code: 0, out: `${copy}: ok\n${name}: ok\n`, err: '' });
  writeFileSync(at('backups', copy), readFileSync(at('backups', copy)).fill(1, 9000, 9001));
  const { code, out, err } = await onTerminal(() => backup('verify', copy, 'absent', name));
  expect([code, out?.split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(`^${copy}: its content is not what it was .*page 3 of \\d+ differs$`),
      `absent: no backup has this name in ${at('backups')}; "gatehouse backup list" names them`,
      `${name}: ok`,
      '',
    ],
  ]);
  expect(err?.split('\n')).toEqual([
    ...[copy, 'absent', name].map((one) => `${one} …`),
    `gatehouse backup verify: 2 cannot be used (${copy}, absent): restore another one`,
    '',
  ]);
});

test('restore brings rows and notes back, and settings where they are wanted', async () => {
  const restored = await backup('restore', name);
  expect(restored).toEqual({
    ...{ code: 0, err: '' },
    out: `${file} was restored from the generation ${name} of ${created()}.\nThe previous database is kept as the generation ${other()}.\n`,
  });
  expect([sides(), rowsOf(at('backups', other()))]).toEqual([['then', 'then', 'now'], 'now']);
  const { out } = await backup('restore', name, '--with-settings');
  expect(out).toMatch(
    /\nThe settings came with it; the next start of the hub makes a new password and admin token\.\n$/,
  );
  expect([sides(), json(at('monitor.json')).adminTokenHash]).toEqual([['then', 'then', 'then'], null]);
  for (const words of [[], ['a', 'b']]) {
    expect(await backup('restore', ...words)).toMatchObject({ code: 2, out: '' });
  }
  const before = readFileSync(file);
  expect(await backup('restore', at('absent.db'))).toEqual(
    failed(/absent\.db cannot be restored: the file is missing/),
  );
  writeFileSync(at('backups', name), 'x');
  expect(await backup('restore', name)).toEqual(
    failed(/the generation \S+ cannot be restored: .*; nothing was changed/),
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('restore of a file into an empty folder takes its settings, without secrets that no key here opens', async () => {
  const generation = path.join(root, 'any-name.db');
  cpSync(at('backups', name), generation);
  const lines = (...more: string[]) => [
    `${file} was restored from ${generation}.`,
    'API identities and Agents are those of the backup: revoke again what was revoked since then.',
    'The settings came with it; the next start of the hub makes a new password and admin token.',
    ...more,
    '',
  ];
  const empty = (withKey: string | null) => {
    rmSync(data, { recursive: true });
    if (withKey !== null) {
      mkdirSync(data);
      writeFileSync(at('secret.key'), `${withKey}\n`);
    }
  };
  empty(key);
  expect((await backup('restore', generation)).out?.split('\n')).toEqual(lines());
  expect(json(at('monitor.json'))).toMatchObject({ list: [expect.stringMatching(/^v1:/), 'open'] });
  for (const [wrong, says] of [
    [null, 'is missing'],
    [createKey(), 'does not open them \\(.*\\)'],
  ] as const) {
    empty(wrong);
    expect(await backup('restore', generation)).toEqual(
      failed(new RegExp(`secret\\.key ${says}, and 3 secrets of .* with --without-secrets`)),
    );
    expect(readdirSync(data).filter((one) => one.startsWith('monitor.db'))).toEqual([]);
    expect((await backup('restore', generation, '--without-secrets')).out?.split('\n')).toEqual(
      lines('Enter these secrets again: mail.password, auditKey, list.0.'),
    );
    expect(json(at('monitor.json'))).toEqual({
      ...{ when: 'then', port: 1, mail: { password: '', none: null }, auditKey: null, list: ['', 'open'] },
      ...{ adminTokenHash: null, passwordRecord: null },
    });
  }
});

test('settings without secrets need no key, and a backup without settings leaves them as they are', async () => {
  rmSync(at('secret.key'));
  writeFileSync(at('monitor.json'), '{"when":"then"}');
  const open = await backup('create');
  rmSync(at('monitor.json'));
  const none = await backup('create');
  writeFileSync(at('monitor.json'), '{"when":"now"}');
  expect(await backup('restore', none.out?.trim() ?? '', '--with-settings')).toMatchObject({ code: 0 });
  expect(json(at('monitor.json')).when).toBe('now');
  expect(await backup('restore', open.out?.trim() ?? '', '--with-settings')).toMatchObject({ code: 0 });
  expect(json(at('monitor.json')).when).toBe('then');
});

test('restore sets a damaged database aside; without a safety copy for another reason it does nothing', async () => {
  const generation = path.join(root, 'any-name.db');
  cpSync(at('backups', name), generation);
  rmSync(at('backups'), { recursive: true });
  writeFileSync(at('backups'), '');
  expect(await backup('restore', generation)).toEqual(failed(/the backup could not be made/));
  expect([sides(), readdirSync(data).filter((one) => one.includes('incoming'))]).toEqual([['now', 'now', 'now'], []]);
  rmSync(at('backups'));
  truncateSync(file, 40 * 4096);
  const { out } = await backup('restore', generation);
  const aside = /The damaged database is set aside as (\S+): gatehouse salvage reads/.exec(out ?? '')?.[1] ?? '';
  expect(out?.split('\n').slice(2)).toEqual([expect.stringMatching(/could not be read completely/), '']);
  expect([statSync(aside).size, rowsOf(file)]).toEqual([40 * 4096, 'then']);
});

test('whichever call of a restore fails, the database is the one that is named', async () => {
  const stride = runs(12, 1);
  const counted = failFiles(data, null);
  await backup('restore', name, '--with-settings').finally(() => counted[Symbol.dispose]());
  const marker = counted.calls.indexOf('rm monitor.db.restore.json') + 1;
  const calls = counted.calls.map((_, nth) => nth + 1).filter((nth) => nth === marker || nth % stride === 3 % stride);
  let inPlace = 0;
  for (const call of calls) {
    rmSync(data, { recursive: true });
    cpSync(model, data, { recursive: true, preserveTimestamps: true });
    const failing = failFiles(data, { at: call, count: 1, error: 'EIO' });
    const { code, out, err } = await backup('restore', name, '--with-settings').finally(() =>
      failing[Symbol.dispose](),
    );
    const isInPlace = err?.includes('is in place, but that could not be noted') === true;
    inPlace += Number(isInPlace);
    const isNew = out !== '' || isInPlace;
    const about = [failing.calls[call - 1], out, err];
    expect([...about, code, ...sides()]).toEqual([
      ...[...about, out === '' ? 1 : code],
      ...Array(3).fill(isNew ? 'then' : 'now'),
    ]);
  }
  expect(inPlace).toBeGreaterThan(0);
});

test('an interrupted restore is finished before another one, and said', async () => {
  const { marker, former } = toReplacementFiles(file);
  cpSync(file, former);
  const about = { source: 'the backup', former: 'readable', setAside: null, notes: null };
  writeFileSync(marker, JSON.stringify(about));
  cpSync(at('backups', name), file);
  const { code, err } = await backup('restore', name);
  expect([code, err, existsSync(former), existsSync(marker)]).toEqual([0, '', false, false]);
  // What was there is the database of the interrupted restore.
  expect(rowsOf(at('backups', other()))).toBe('then');
  writeFileSync(former, '');
  expect((await backup('restore', name)).err).toBe(
    'a restore was interrupted at its end: the database is the restored one\n',
  );
});

test('salvage reads the newest database that was set aside, else the database, into a generation', async () => {
  const report = (source: string, generation: string, ...more: unknown[]) => [
    expect.stringMatching(new RegExp(`^${source}: [1-9]\\d* rows of [1-9]\\d* tables were read\\.$`)),
    ...[...more, `They are in the generation ${generation}: gatehouse backup restore ${generation}`, ''],
  ];
  const whole = await salvage();
  expect([whole.code, whole.out?.split('\n')]).toEqual([0, report(file, other(), 'No table is damaged.')]);
  expect(rowsOf(at('backups', other()))).toBe('now');
  rmSync(at('backups', other()));
  const newer = createSetAsideName(file, 3);
  for (const when of [1, 2]) {
    writeFileSync(createSetAsideName(file, when), '');
  }
  cpSync(file, newer);
  const db = new Database(newer);
  db.exec("PRAGMA foreign_keys = OFF; INSERT INTO agent_address VALUES ('192.168.1.9', 1, 1, 1)");
  const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'observer'").pluck().get());
  db.close();
  writeFileSync(newer, readFileSync(newer).fill(0, (page - 1) * 4096, page * 4096));
  const { out } = await salvage();
  expect(out?.split('\n')).toEqual(
    report(
      newer,
      other(),
      expect.stringMatching(/^observer: 0 rows, rows may be missing at 1 places \(.*malformed.*\)$/),
      '1 rows were left out: what they belong to is lost.',
    ),
  );
  expect(JSON.parse((await salvage(file, '--json')).out ?? '')).toMatchObject({ source: file, orphans: 0 });
  expect(await salvage(at('absent'))).toEqual(failed(/absent does not exist: name the damaged database/));
  expect(await salvage(file, newer)).toMatchObject({ code: 2, out: '' });
  using _full = fakeDisk({ bavail: 1, blocks: 1, bsize: 1 });
  expect(await salvage()).toEqual(failed(/a salvage needs .*: nothing was changed/));
});

test('variables say where the files lie, and what root makes belongs to the owner of the folder', async (context) => {
  const elsewhere = path.join(root, 'elsewhere');
  const moved = { DB_PATH: 'a.db', CONFIG_PATH: 'a.json', BACKUP_DIR: 'generations' };
  mkdirSync(elsewhere);
  for (const [variable, place] of Object.entries(moved)) {
    vi.stubEnv(`MONITOR_${variable}`, path.join(elsewhere, place));
  }
  vi.stubEnv('MONITOR_DATA_DIR', data);
  rmSync(file);
  const { out } = await printed(() => runBackup(['restore', at('backups', name), '--with-settings']));
  expect(out).toMatch(new RegExp(`^${elsewhere}/a\\.db was restored from `));
  expect(json(path.join(elsewhere, 'a.json')).when).toBe('then');
  const listed = await printed(() => runBackup(['create']));
  expect(readdirSync(path.join(elsewhere, 'generations'))).toContain(listed.out?.trim());
  expect((await printed(() => runBackup(['list']))).out).toContain(listed.out?.trim());
  if (process.getuid?.() !== 0) {
    context.skip('only root can give files to another user');
  }
  vi.unstubAllEnvs();
  cpSync(model, data, { recursive: true });
  const owner = 54_321;
  const all = () => [data, ...readdirSync(data, { recursive: true }).map((one) => at(String(one)))];
  all().forEach((one) => void chownSync(one, owner, owner));
  chownSync(at('secret.key'), 1, 1);
  await backup('restore', name, '--with-settings');
  expect(all().filter((one) => statSync(one).uid !== owner)).toEqual([at('secret.key')]);
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(owner);
  await backup('create').finally(() => getuid.mockRestore());
  expect(all().filter((one) => statSync(one).uid === 0)).toHaveLength(2);
});
