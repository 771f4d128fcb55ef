// What a start finds where its database should be, before it opens it: what is put right, what is refused, and what stays.
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeSnapshot } from '#hub/base/storage/backup/snapshot.ts';
import { createSetAsideName } from '#hub/base/storage/damage/set-aside.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { migrationsFolder, productKind, readNewestSchema } from '#hub/base/storage/product.ts';
import { notCarriedOver } from '#hub/base/storage/restore/carry-over.ts';
import { toReplacementFiles } from '#hub/base/storage/restore/replacement.ts';
import { prepareStorage } from '#hub/base/storage/start.ts';
import { closeLog } from '#kernel/sqlite/database-copy.ts';
import { migrate } from '#kernel/sqlite/sqlite.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { fakeDisk } from '../../../support/fake-disk.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const root = makeFolder('start');
const model = path.join(root, 'model.db');
const generations = path.join(root, 'generations');
const older = path.join(root, 'older.db');
const data = path.join(root, 'data');
const file = path.join(data, 'monitor.db');
const backups = path.join(data, 'backups');
const files = toReplacementFiles(file);
const clock = new ManualClock();
const setAside = createSetAsideName(file, clock.now());

beforeAll(async () => {
  await openDatabase(model).close();
  closeLog(model);
  const documents = { notes: null, settings: null };
  await makeSnapshot({ file: model, folder: generations, at: 1, migration: null, documents }, () => undefined);
  // As the program of migration 016 left it.
  const steps = path.join(root, 'steps');
  cpSync(migrationsFolder, steps, { recursive: true });
  readdirSync(steps)
    .filter((step) => step > '017')
    .forEach((step) => void rmSync(path.join(steps, step)));
  migrate(older, steps);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(backups, { recursive: true });
});

/** A start of the hub, as far as its database. */
async function start() {
  const { log, lines } = collectLog('info');
  const folder = {
    ...{ databaseFile: file, backups, notesFile: path.join(data, 'notes.json') },
    documentFile: path.join(data, 'monitor.json'),
  };
  const outcome = await prepareStorage({ folder: folder as never, clock, log }).catch((error: Error) => error);
  return { outcome, said: lines.map(({ msg }) => msg) };
}
const settled = (hasData: boolean, said: unknown[] = []) => ({ outcome: { hasData, replacement: null }, said });
const refused = (says: RegExp) => ({ outcome: expect.objectContaining({ message: expect.stringMatching(says) }) });
const lies = () => readdirSync(data).sort();
const pragma = (name: string, place = file) => {
  const db = new Database(place, { readonly: true });
  const value = db.pragma(name, { simple: true });
  db.close();
  return value;
};
const change = (sql: string) => {
  const db = new Database(file);
  db.exec(sql);
  db.close();
};

describe('a database', () => {
  test('that is whole stays; one that is missing or has no schema yet may begin', async () => {
    expect(await start()).toEqual(settled(false));
    new Database(file).exec(`PRAGMA application_id = ${productKind.applicationId}`).close();
    expect(await start()).toEqual(settled(true));
    cpSync(model, file);
    expect(await start()).toEqual(settled(true));
    expect([lies(), readdirSync(backups)]).toEqual([['backups', 'monitor.db'], []]);
  });

  test('of another program stops the start, whatever generations there are, and stays as it is', async () => {
    cpSync(generations, backups, { recursive: true });
    new Database(file).exec('CREATE TABLE album (n)').close();
    const before = readFileSync(file);
    expect(await start()).toMatchObject(refused(/monitor\.db is the database of another program: move it away/));
    expect([readFileSync(file).equals(before), lies()]).toEqual([true, ['backups', 'monitor.db']]);
  });

  test('that has lost its beginning is replaced by a generation; without one it stops the start', async () => {
    writeFileSync(file, 'x'.repeat(8192));
    expect(await start()).toMatchObject(refused(/monitor\.db is not an SQLite database/));
    expect(lies()).toEqual(['backups', 'monitor.db']);
    cpSync(generations, backups, { recursive: true });
    const { outcome, said } = await start();
    expect([outcome, said.at(-1)]).toEqual([
      { hasData: true, replacement: expect.objectContaining({ missing: notCarriedOver }) },
      notCarriedOver,
    ]);
    expect(pragma('user_version')).toBe(readNewestSchema());
  });

  test('that is cut off is set aside, and the hub begins with a generation or with nothing', async () => {
    cpSync(model, file);
    truncateSync(file, 8192);
    expect(await start()).toEqual(
      settled(false, [expect.stringMatching(/there is no whole generation: it is set aside/)]),
    );
    expect(lies()).toEqual(['backups', path.basename(setAside)]);
    renameSync(setAside, file);
    cpSync(generations, backups, { recursive: true });
    const { outcome } = await start();
    expect(outcome).toMatchObject({ hasData: true, replacement: { missing: notCarriedOver } });
  });

  test('that looks damaged once is not: a read of the disk failed', async () => {
    const { readSync } = fs;
    const put = (read: unknown) => {
      Object.assign(fs, { readSync: read });
      syncBuiltinESMExports();
    };
    cpSync(model, file);
    const outcomes: unknown[] = [];
    for (let failing = 1, reads = failing; reads >= failing; failing += 1) {
      reads = 0;
      put((...args: Parameters<typeof readSync>) => {
        reads += 1;
        return reads === failing ? args[1].byteLength : readSync(...args);
      });
      outcomes.push(await start().finally(() => put(readSync)));
    }
    expect(outcomes.length).toBeGreaterThan(2);
    expect(outcomes).toEqual(outcomes.map(() => settled(true)));
    expect(lies()).toEqual(['backups', 'monitor.db']);
  });

  test('that cannot be read now stops the start, and what an earlier run left is no reason to', async () => {
    cpSync(model, file);
    const [left] = readdirSync(generations);
    writeFileSync(path.join(backups, `${left}.${process.pid}.tmp`), '');
    {
      using _failing = failFiles(backups, { at: 1, count: 1, error: 'EIO' }, 'reading');
      expect(await start()).toEqual(
        settled(true, [expect.stringMatching(/^what an earlier run left in \S+ cannot be/)]),
      );
    }
    expect(readdirSync(backups)).toHaveLength(1);
    expect([await start(), readdirSync(backups)]).toEqual([settled(true), []]);
    rmSync(file);
    mkdirSync(file);
    expect(await start()).toMatchObject(refused(/EISDIR/));
  });
});

test('an interrupted restore is finished by the start, which says what is missing then', async () => {
  for (const former of ['readable', 'unreadable'] as const) {
    cpSync(model, file);
    cpSync(model, files.former);
    writeFileSync(files.marker, JSON.stringify({ source: 'the backup', former, setAside: null, notes: null }));
    const { outcome, said } = await start();
    const missing = former === 'readable' ? [] : [notCarriedOver];
    expect(outcome).toMatchObject({
      hasData: true,
      replacement: { source: 'the backup', missing: missing[0] ?? null },
    });
    expect(said).toEqual(['the restore of the backup was interrupted: this start finishes it', ...missing]);
    expect(existsSync(files.marker)).toBe(true);
  }
});

describe('a database of an older schema', () => {
  const copies = () => readdirSync(backups).filter((name) => /^monitor_migration-016_.*\.db$/.test(name));
  beforeEach(() => cpSync(older, file));

  test('is brought to the newest one, and there is a verified copy of it from before', async () => {
    const bavail = 2 * statSync(file).size + 8_388_608;
    using _enough = fakeDisk({ bavail, blocks: bavail, bsize: 1 });
    expect(await start()).toEqual(settled(true, [`the database has schema ${readNewestSchema()} now`]));
    const [copy = ''] = copies();
    expect([pragma('user_version'), pragma('user_version', path.join(backups, copy))]).toEqual([
      readNewestSchema(),
      16,
    ]);
    expect(await start()).toEqual(settled(true));
    expect(copies()).toEqual([copy]);
  });

  test('stays what it is where a step fails, the disk has no room, or another program has it', async () => {
    const stays = async (says: RegExp) => {
      const before = readFileSync(file).subarray(100);
      expect(await start()).toMatchObject(refused(says));
      // Its header may say now that it has no write-ahead log.
      expect([pragma('user_version'), readFileSync(file).subarray(100).equals(before)]).toEqual([16, true]);
    };
    {
      const bavail = 2 * statSync(file).size + 8_388_607;
      using _full = fakeDisk({ bavail, blocks: bavail, bsize: 1 });
      await stays(
        /could not be brought from schema 16 to \d+ \(the disk of .* a migration needs .*: it is what it was/,
      );
      expect(copies()).toEqual([]);
    }
    const held = new Database(file);
    held.pragma('user_version');
    await stays(/^another program holds the write lock of monitor\.db/);
    held.close();
    // The name of the table that the next step makes is taken.
    change('CREATE INDEX generation_document ON flow (dport)');
    await stays(/could not be brought from schema 16 to \d+ \(.*generation_document.*\): it is what it was/);
  });

  test('is refused when the schema is newer', async () => {
    change('PRAGMA user_version = 900');
    const before = readFileSync(file);
    expect(await start()).toEqual(settled(true));
    expect(() => openDatabase(file)).toThrow(/schema 900, newer than/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
