// The disk and the database file as people hear of them: how much room there is, and which pages are damaged.
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { toWarnings } from '#hub/base/statements.ts';
import { createSetAsideName } from '#hub/base/storage/damage/set-aside.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { formatSize } from '#hub/base/storage/disk-space.ts';
import { startStorageFeature } from '#hub/base/storage/feature.ts';
import { readNewestSchema } from '#hub/base/storage/product.ts';
import { type StorageQueries, storageQueries } from '#hub/base/storage/queries.ts';
import { readFreeBytes, requireRoom } from '#hub/base/storage/room.ts';
import { damageRemedy } from '#kernel/sqlite/database-file.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { dayMs, minuteMs } from '#kernel/time/time.ts';
import { fakeDisk } from '../../../support/fake-disk.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const lookAt = 90_000;
/** As SQL writes the name of a table. */
const long = `a ""quoted"" name ${'x'.repeat(60)}`;

/** The feature over a database; the queries of its reader threads run in this one. */
async function openStorage(prepare: (file: string) => void = () => undefined) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder()).path;
  const file = path.join(folder, 'monitor.db');
  await openDatabase(file).close();
  prepare(file);
  const db = opened.adopt(new Db(file), (one) => one.close());
  const clock = new ManualClock();
  const { log, lines } = collectLog('warn');
  const raised: { key: string; sentence: string }[] = [];
  const signals: AbortSignal[] = [];
  const scans = {
    async ask(name: keyof StorageQueries, params: Record<string, never>, signal: AbortSignal) {
      signals.push(signal);
      const reader = new Database(file, { readonly: true });
      const found = storageQueries[name](reader as never, params);
      reader.close();
      return { bytes: new TextEncoder().encode(JSON.stringify(found)) };
    },
  };
  const base = { clock, log, folder: { databaseFile: file }, readers: { scans }, db };
  const alarm = { raise: async (key: string, sentence: string) => void raised.push({ key, sentence }) };
  const feature = opened.use(startStorageFeature(base as never, alarm) as AsyncDisposable & Required<Feature>);
  const whole = opened.move();
  const said = () => lines.map(({ msg }) => msg);
  return {
    ...{ feature, clock, file, folder, raised, signals, said },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}
type Feature = ReturnType<typeof startStorageFeature>;

test('room is warned of below a tenth of the disk and a gigabyte, and is the reason when writes fail', async () => {
  using disk = fakeDisk({ bavail: 100, blocks: 1000, bsize: 4096 });
  await using storage = await openStorage();
  const { feature, folder } = storage;
  const low = (free: number, total: number) =>
    `the disk of ${folder} has ${formatSize(free)} free of ${formatSize(total)}: make room before it is full`;
  const full = `the disk of ${folder} is full: nothing more is recorded or saved; make room on it, the hub then goes on by itself`;
  const logged: string[] = [];
  const look = async () => {
    const { storage: room, warnings } = await feature.status();
    const [warning = null] = toWarnings([warnings?.[1] ?? null]).warnings;
    return { room, warning, reason: await feature.notReady() };
  };
  const levels = { enough: null, low, full };
  let before = 'enough';
  for (const [bavail, blocks, warnBelowBytes, level] of [
    ...[[1_000_000, 10_000_005, 1_000_000, 'enough'] as const, [999_999, 10_000_005, 1_000_000, 'low'] as const],
    ...[[262_144, 10_000_000, 1_000_000, 'low'] as const, [262_143, 10_000_000, 1_000_000, 'full'] as const],
    ...[[262_143, 2_000_000, 200_000, 'full'] as const, [262_144, 2_000_000, 200_000, 'enough'] as const],
    ...[[2 ** 30 - 1, 2 ** 35, 2 ** 30, 'low'] as const, [2 ** 30, 2 ** 35, 2 ** 30, 'enough'] as const],
  ]) {
    disk.says = { bavail, blocks, bsize: 1 };
    const warning = level === 'low' ? low(bavail, blocks) : levels[level];
    expect(await look()).toEqual({
      ...{ room: { freeBytes: bavail, totalBytes: blocks, warnBelowBytes }, warning },
      reason: level === 'full' ? 'disk_full' : null,
    });
    logged.push(...(level === before ? [] : [String(warning ?? `the disk of ${folder} has room again`)]));
    before = level;
  }
  disk.says = { bavail: 3, blocks: 1000, bsize: 4096 };
  expect((await look()).room).toEqual({ freeBytes: 12_288, totalBytes: 4_096_000, warnBelowBytes: 409_600 });
  disk.says = new Error('gone');
  expect(await look()).toEqual({
    room: { freeBytes: null, totalBytes: null, warnBelowBytes: null },
    ...{
      warning: `the free space of ${folder} cannot be read (gone): see that the folder is there`,
      reason: 'disk_full',
    },
  });
  disk.says = Object.assign(new Error('EACCES: not for you'), { code: 'EACCES' });
  await look();
  expect((await feature.status()).warnings).toMatchObject([null, { values: { folder, cause: 'not_permitted' } }]);
  disk.says = new Error('gone');
  await look();
  writeFileSync(createSetAsideName(storage.file, 1), '');
  expect((await feature.status()).warnings?.slice(2)).toMatchObject([{ code: 'database_set_aside' }]);
  // Nobody asks: the clock does.
  disk.says = { bavail: 2 ** 30, blocks: 2 ** 35, bsize: 1 };
  await storage.clock.advance(minuteMs);
  await storage.clock.advance(minuteMs);
  expect(storage.said()).toEqual([...logged, full, `the disk of ${folder} has room again`]);
});

test('sizes are in megabytes, from a billion bytes on in gigabytes, with a digit behind the point below ten', () => {
  const sizes = [0, 1_949_000, 9_949_999, 9_999_999, 10_000_000, 34_400_000, 999_999_999, 1e9, 1.25e10];
  expect(sizes.map(formatSize)).toEqual([
    ...['0.0 MB', '1.9 MB', '9.9 MB', '10.0 MB', '10 MB', '34 MB', '1000 MB', '1.0 GB', '13 GB'],
  ]);
});

test('what is to be written needs its bytes and eight megabytes, on the disk of the nearest folder that is there', () => {
  using folder = temporaryFolder();
  const absent = path.join(folder.path, 'a', 'b');
  expect(readFreeBytes(absent)).toBeGreaterThan(0);
  using disk = fakeDisk({ bavail: 2, blocks: 3, bsize: 4_194_804 });
  expect(readFreeBytes(absent)).toBe(8_389_608);
  requireRoom(absent, 1000, 'a backup');
  expect(() => requireRoom(absent, 1001, 'a backup')).toThrow(
    expect.objectContaining({
      code: 'disk_full',
      message: `the disk of ${absent} has 8.4 MB free, a backup needs 8.4 MB: nothing was changed; make room on it and try again`,
    }),
  );
  disk.says = new Error('no such drive');
  const { existsSync } = fs;
  const put = (exists: unknown) => {
    Object.assign(fs, { existsSync: exists });
    syncBuiltinESMExports();
  };
  put(() => false);
  try {
    expect(() => readFreeBytes(absent)).toThrow('no such drive');
  } finally {
    put(existsSync);
  }
});

test('damage is found soon after the start and each week, and each table has its first faults', async () => {
  using _disk = fakeDisk({ bavail: 2 ** 30, blocks: 2 ** 30, bsize: 1 });
  const state = { whole: Buffer.alloc(0), torn: 0 };
  await using storage = await openStorage((file) => {
    const db = new Database(file);
    db.unsafeMode();
    db.exec(`PRAGMA journal_mode = DELETE; CREATE TABLE broken (x); CREATE TABLE torn (x); CREATE TABLE few (x); CREATE TABLE "${long}" (x);
      INSERT INTO "${long}" VALUES (NULL), (NULL), (NULL), (NULL), (NULL), (NULL);
      INSERT INTO few SELECT * FROM "${long}"; PRAGMA writable_schema = ON`);
    const change = db.prepare('UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ? RETURNING rootpage');
    const [broken, torn] = ['broken', 'torn'].map((name) => Number(change.pluck().get('', '', name)));
    state.whole = Buffer.from(readFileSync(file));
    for (const table of ['few', long.replaceAll('""', '"')]) {
      change.get('(x)', '(x NOT NULL)', table);
    }
    db.close();
    const damaged = readFileSync(file).fill(0, ((broken ?? 0) - 1) * 4096, (broken ?? 0) * 4096);
    // The count of fragmented bytes of a page (https://sqlite.org/fileformat.html, section 1.6).
    damaged.writeUInt8(7, ((torn ?? 0) - 1) * 4096 + 7);
    state.torn = torn ?? 0;
    writeFileSync(file, damaged);
  });
  const { feature, clock, file, raised, signals } = storage;
  const look = async () => ({
    warnings: (await feature.status()).warnings?.map((one) => one?.sentence ?? null),
    reason: await feature.notReady(),
  });
  await clock.advance(lookAt - 1);
  expect([await look(), signals]).toEqual([{ warnings: [null, null], reason: null }, []]);
  await clock.advance(1);
  const name = long.replaceAll('""', '"');
  const faults = [
    `${name}: ${Array(5).fill(`NULL value in ${name}.x`).join('; ').slice(0, 300)}`,
    'broken: database disk image is malformed',
    `few: ${Array(5).fill('NULL value in few.x').join('; ')}`,
    `torn: *** in database main *** Tree ${state.torn} page ${state.torn}: free space corruption`,
  ];
  const sentence = `${file} is damaged (${faults.join(' | ')}): ${damageRemedy}`;
  const found = { warnings: [sentence, null], reason: 'database_damaged' };
  expect(await look()).toEqual(found);
  expect(raised).toEqual([{ key: `${file}|${faults.join('|').slice(0, 200)}`, sentence }]);
  expect((await feature.status()).schemaVersion).toBe(readNewestSchema());
  writeFileSync(file, state.whole);
  await clock.advance(7 * dayMs - 1);
  expect(await look()).toEqual(found);
  await clock.advance(1);
  expect([await look(), raised.length]).toEqual([{ warnings: [null, null], reason: null }, 1]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  await feature[Symbol.asyncDispose]();
  expect([clock.sleeping, signals.map(({ aborted }) => aborted)]).toEqual([0, [true, true]]);
});
