// The data folder of a hub: where its files lie, who else may have it, and what is mended when it is opened.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDataFolder } from '#hub/base/storage/data-folder.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** An empty folder, and a way to open data folders in it. */
function openScene() {
  const root = temporaryFolder();
  const { log, lines } = collectLog('warn');
  return {
    root: root.path,
    at: (...names: string[]) => path.join(root.path, ...names),
    open: (more: { dataDir?: string; configPath?: string; dbPath?: string; backupDir?: string } = {}) =>
      openDataFolder({ dataDir: path.join(root.path, 'data'), log, ...more }),
    said: () => lines.map(({ msg }) => msg),
    [Symbol.dispose]: () => root[Symbol.dispose](),
  };
}

test('files lie in the folder unless a place is given, and both folders are made private', () => {
  using scene = openScene();
  const { at, open } = scene;
  {
    using folder = open();
    expect(folder).toMatchObject({
      ...{ documentFile: at('data', 'monitor.json'), databaseFile: at('data', 'monitor.db') },
      ...{ keyFile: at('data', 'secret.key'), notesFile: at('data', '.monitor.notes.json') },
      ...{ backups: at('data', 'backups'), warnings: [] },
    });
    expect([modeOf(at('data')), modeOf(at('data', 'backups'))]).toEqual(['700', '700']);
    expect(readFileSync(at('data', 'hub.pid'), 'utf8')).toBe(`${process.pid}\n`);
  }
  expect(readdirSync(at('data')).sort()).toEqual(['backups', 'hub.lock']);
  const given = { configPath: at('a.json'), dbPath: at('a.db'), backupDir: at('generations', 'of a') };
  using folder = open(given);
  const { documentFile, databaseFile, backups, keyFile } = folder;
  expect({ configPath: documentFile, dbPath: databaseFile, backupDir: backups }).toEqual(given);
  expect([keyFile, existsSync(backups)]).toEqual([at('data', 'secret.key'), true]);
});

test('one hub at a time has a folder, its settings and its database; what a refused one has taken is free again', () => {
  using scene = openScene();
  const { at, open } = scene;
  const places = { configPath: at('a.json'), dbPath: at('a.db') };
  const other = at('other');
  {
    using _folder = open(places);
    const refused = (what: string) =>
      `another gatehouse hub (process ${process.pid}) is using ${what}: end it first, or give this one a folder of its own with --data`;
    expect(() => open()).toThrow(refused(`the data directory ${at('data')}`));
    expect(() => open({ dataDir: other, configPath: at('a.json') })).toThrow(refused(at('a.json')));
    expect(() => open({ dataDir: other, dbPath: at('a.db') })).toThrow(refused(at('a.db')));
    rmSync(at('a.db.pid'));
    expect(() => open({ dataDir: other, dbPath: at('a.db') })).toThrow('another gatehouse hub is using');
    open({ dataDir: other })[Symbol.dispose]();
  }
  open(places)[Symbol.dispose]();
  // A full disk: the lock works, the id of the process finds no room.
  const failing = failFiles(at('data'), { at: 3, count: 1, error: 'ENOSPC' });
  open()[Symbol.dispose]();
  failing[Symbol.dispose]();
  expect(scene.said()).toEqual([`the process id could not be noted in ${at('data', 'hub')}.pid`]);
});

test('modes that are too wide are warned of, and files get 0600; a disk of backups that is away is said', () => {
  using scene = openScene();
  const { at, open } = scene;
  mkdirSync(at('data'));
  const settings = ['monitor.json', 'monitor.db', 'secret.key', '.monitor.notes.json'];
  const files = [...settings, 'monitor.db-flows', 'monitor.db-wal', 'monitor.db-shm'];
  for (const name of files) {
    writeFileSync(at('data', name), '');
    chmodSync(at('data', name), 0o644);
  }
  chmodSync(at('data'), 0o777);
  writeFileSync(at('file'), '');
  using folder = open({ backupDir: at('file', 'backups') });
  expect(folder.warnings.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(
      /^the backup folder \S+file\/backups cannot be made \(ENOTDIR.*\): there are no backups until/,
    ),
    expect.stringMatching(/^the data directory \S+ has mode 0777: .*chmod 700$/),
    ...files.map((name) => expect.stringMatching(new RegExp(`^${at('data', name)} had mode 0644: .*0600 now$`))),
  ]);
  expect(folder.warnings[0]?.values).toMatchObject({ cause: 'not_opened' });
  expect(files.map((name) => modeOf(at('data', name)))).toEqual(files.map(() => '600'));
});

test('a data folder that cannot be made stops the start, and the sentence says what to do', () => {
  using scene = openScene();
  const { at, open } = scene;
  writeFileSync(at('file'), '');
  expect(() => open({ dataDir: at('file', 'data') })).toThrow(
    /^the data folder \S+file\/data cannot be made \(ENOTDIR.*\): name another one with --data$/,
  );
});

test('temporary files of processes that run no more are removed, others stay', () => {
  using scene = openScene();
  const { at, open } = scene;
  mkdirSync(at('data'));
  const gone = spawnSync('true').pid;
  const of = ['monitor.json', 'monitor.db', 'secret.key', '.monitor.notes.json', 'hub.pid'];
  const left = [...of.map((name) => `${name}.${gone}.tmp`), `monitor.json.${process.pid}.tmp`];
  const others = [`monitor.json.${process.ppid}.tmp`, `other.json.${gone}.tmp`, 'monitor.json.tmp'];
  for (const name of [...left, ...others]) {
    writeFileSync(at('data', name), 'half');
  }
  using _folder = open();
  expect(readdirSync(at('data')).filter((name) => name.endsWith('.tmp'))).toEqual(others.sort());
});
