// Damage of the database file: what is corrected, what is set aside, who is told, and that a disk which fails is no damage.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { Verdicts } from '#hub/base/storage/backup/inventory.ts';
import { startPageCheck } from '#hub/base/storage/backup/page-check.ts';
import { makeSnapshot } from '#hub/base/storage/backup/snapshot.ts';
import { createAlarm } from '#hub/base/storage/damage/alarm.ts';
import { correctHeader } from '#hub/base/storage/damage/header.ts';
import { recoverDamaged } from '#hub/base/storage/damage/recover.ts';
import { createSetAsideName, listSetAside } from '#hub/base/storage/damage/set-aside.ts';
import { startSetAsideLook } from '#hub/base/storage/damage/set-aside-look.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { productKind, readNewestSchema } from '#hub/base/storage/product.ts';
import { toReplacementFiles } from '#hub/base/storage/restore/replacement.ts';
import type { ToldEvent } from '#hub/base/told-event.ts';
import { closeLog } from '#kernel/sqlite/database-copy.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const root = makeFolder('damage');
const model = path.join(root, 'model.db');
const folder = path.join(root, 'data');
const file = path.join(folder, 'monitor.db');
const backups = path.join(folder, 'backups');
const notesFile = path.join(folder, 'notes.json');
const now = 1_790_000_000_000;
const setAside = createSetAsideName(file, now);

beforeAll(async () => {
  await openDatabase(model).close();
  closeLog(model);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(backups, { recursive: true });
  cpSync(model, file);
  writeFileSync(notesFile, '{}');
});

const snapshot = (at: number) =>
  makeSnapshot(
    { file: model, folder: backups, at, migration: null, documents: { notes: '{"a":1}', settings: null } },
    () => undefined,
  );
const besides = (...known: string[]) =>
  readdirSync(folder).filter((name) => !['monitor.db', 'backups', 'notes.json', ...known].includes(name));

describe('a header', () => {
  const pragma = (name: string, value: number, target = file) => {
    const db = new Database(target);
    db.pragma(`${name} = ${value}`);
    db.close();
  };
  const read = (target = file) => {
    const db = new Database(target, { readonly: true });
    const found = ['application_id', 'user_version'].map((name) => db.pragma(name, { simple: true }));
    db.close();
    return found;
  };
  const correct = async () => {
    const { log, lines } = collectLog('error');
    await correctHeader({ databaseFile: file, now, log });
    return lines.map(({ msg }) => msg).join();
  };

  test.each([
    ['another program', 'application_id', 7],
    ['an older schema', 'user_version', 3],
    ['a newer schema', 'user_version', 900],
  ] as const)('that names %s is corrected, and what it was is set aside', async (_, name, value) => {
    pragma(name, value);
    const before = readFileSync(file);
    expect(await correct()).toMatch(/had a damaged header \(application id \d+, schema \d+\): it is corrected/);
    expect(read()).toEqual([productKind.applicationId, readNewestSchema()]);
    expect(readFileSync(setAside).equals(before)).toBe(true);
    expect(await correct()).toBe('');
    expect(besides(path.basename(setAside))).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ['is whole', () => undefined],
    ['has no application id yet', () => pragma('application_id', 0)],
    ['is missing', () => rmSync(file)],
    ['is no SQLite', () => writeFileSync(file, 'x'.repeat(200))],
    ['has unknown formats', () => writeFileSync(file, readFileSync(file).fill(9, 18, 20))],
    [
      'has a format that SQLite only reads',
      () => {
        pragma('application_id', 7);
        writeFileSync(file, readFileSync(file).fill(3, 18, 19));
      },
    ],
    ['is that of a cut file', () => truncateSync(file, 8192)],
    ['belongs to other tables', () => new Database(file).exec('DROP TABLE flow_hour; PRAGMA user_version = 3').close()],
  ])('that %s stays as it is', async (_, change) => {
    change();
    const before = readdirSync(folder).includes('monitor.db') ? readFileSync(file) : null;
    expect(await correct()).toBe('');
    expect(besides()).toEqual([]);
    if (before !== null) {
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  test('that cannot be read now is not judged', async () => {
    using _failing = failFiles(folder, { at: 1, count: 1, error: 'EIO' }, 'reading');
    await expect(correct()).rejects.toThrow(/EIO/);
  });
});

describe('a damaged database', () => {
  const recover = async (needsGeneration = false) => {
    const { log, lines } = collectLog('error');
    const replacement = await recoverDamaged({ databaseFile: file, notesFile, backups, now, log }, needsGeneration);
    return { replacement, said: lines.map(({ msg }) => msg) };
  };
  beforeEach(() => truncateSync(file, 8192));

  test('is replaced by the newest generation that is whole, whose notes come with it', async () => {
    const damaged = readFileSync(file);
    await snapshot(1);
    const used = await snapshot(2);
    const rotten = await snapshot(3);
    writeFileSync(rotten.file, readFileSync(rotten.file).fill(1, 9000, 9001));
    const { replacement, said } = await recover();
    expect(said).toEqual([
      expect.stringMatching(`the generation ${rotten.name} cannot be used .*: the one before is tried`),
      expect.stringMatching(`set aside as .*, the generation ${used.name} is used`),
      expect.stringMatching(/could not be read completely/),
    ]);
    expect(replacement?.source).toBe(`the generation ${used.name}`);
    expect(replacement?.confirm()).toBeNull();
    expect([readFileSync(notesFile, 'utf8'), readFileSync(setAside).equals(damaged)]).toEqual(['{"a":1}', true]);
  });

  test('of which no generation is whole is set aside with its log, or stays when one is needed', async () => {
    writeFileSync(`${file}-wal`, 'log');
    const damaged = readFileSync(file);
    expect(await recover(true)).toEqual({ replacement: null, said: [] });
    expect(readFileSync(file).equals(damaged)).toBe(true);
    expect(besides('monitor.db-wal')).toEqual([]);
    writeFileSync(path.join(backups, createGenerationName(1)), 'x');
    expect((await recover()).said.at(-1)).toMatch(/there is no whole generation: it is set aside/);
    expect(readdirSync(folder).includes('monitor.db')).toBe(false);
    expect([readFileSync(setAside).equals(damaged), readFileSync(`${setAside}-wal`, 'utf8')]).toEqual([true, 'log']);
  });

  test('stays where a whole generation could not be read or put in place, whatever the others are', async () => {
    const { file: whole } = await snapshot(2);
    const damaged = readFileSync(file);
    const stays = async () => {
      await expect(recover()).rejects.toThrow(/no generation could be put in its place .*start the hub again/);
      expect(readFileSync(file).equals(damaged)).toBe(true);
      expect(listSetAside(file)).toEqual([]);
    };
    // Something lies where the generation is to be prepared; then its manifest cannot be read.
    const { incoming } = toReplacementFiles(file);
    mkdirSync(incoming);
    await stays();
    rmSync(incoming, { recursive: true });
    writeFileSync(path.join(backups, createGenerationName(1)), 'x');
    rmSync(`${whole}.json`);
    mkdirSync(`${whole}.json`);
    await stays();
  });
});

describe('people are told', () => {
  const chat = (isReady: boolean) => {
    const told: string[] = [];
    return {
      told,
      isTold: () => isReady,
      put: (_: Writer, { key, at, title, body }: ToldEvent) => void told.push(`${key} ${at} ${title}: ${body}`),
      wake: () => void told.push('wake'),
    };
  };

  test('by the log, by whoever is told, and by the log of what could not be stored', async () => {
    const db = openDatabase(file);
    const clock = new ManualClock(now);
    const { log, lines } = collectLog('error');
    const [off, on] = [chat(false), chat(true)];
    await createAlarm({ db, clock, log }, off).raise('a', 'one');
    await createAlarm({ db, clock, log }, on).raise('b', 'two');
    expect(off.told).toEqual([]);
    expect(on.told).toEqual([`damage|b ${now} Damaged data: two`, 'wake']);
    const failing = {
      ...on,
      put: () => {
        throw new Error('no room');
      },
    };
    await createAlarm({ db, clock, log }, failing).raise('c', 'three');
    await db.close();
    expect(lines.map(({ msg }) => msg)).toEqual(['one', 'two', 'three', expect.stringContaining('(no room)')]);
    expect(on.told).toHaveLength(2);
  });

  test('of each database that was set aside once, and as long as it lies there', async () => {
    const clock = new ManualClock(now);
    const { log } = collectLog('error');
    const raised: string[] = [];
    const alarm = { raise: async (key: string) => void raised.push(path.basename(key)) };
    const [older, newer] = [createSetAsideName(file, now - 1), setAside];
    for (const name of [
      newer,
      older,
      `${newer}-wal`,
      `${file}.damaged-x`,
      `${newer}.bak`,
      `${file}.damaged-of-${path.basename(newer).slice(-24)}`,
      path.join(folder, 'other'),
    ]) {
      writeFileSync(name, '');
    }
    await using look = startSetAsideLook({ clock, log, file, alarm });
    await expect.poll(() => raised).toEqual([older, newer].map((name) => path.basename(name)));
    await clock.advance(hourMs);
    const third = createSetAsideName(file, now + hourMs);
    writeFileSync(third, '');
    await clock.advance(hourMs);
    expect(raised.slice(2)).toEqual([path.basename(third)]);
    expect(look.warnings()).toMatchObject(
      [older, newer, third].map((name) => ({ sentence: expect.stringContaining(`set aside as ${name}: `) })),
    );
    rmSync(newer);
    expect(look.warnings()).toHaveLength(2);
  });

  test('of the newest generation when it has rotted, until there is another one', async () => {
    const clock = new ManualClock(now);
    const { log } = collectLog('error');
    const raised: string[] = [];
    const alarm = { raise: async (key: string, sentence: string) => void raised.push(`${key}: ${sentence}`) };
    const verdicts = new Verdicts();
    const noted: unknown[] = [];
    verdicts.note = (stored, ...found) => void noted.push([stored.name, ...found]);
    await using check = startPageCheck({ clock, log, folder: backups, verdicts, alarm });
    await clock.advance(limits.backupCheckFirstMs);
    expect([noted, check.warning()]).toEqual([[], null]);
    const old = await snapshot(1);
    const made = await snapshot(2);
    await clock.advance(limits.backupCheckEveryMs);
    await expect.poll(() => noted).toEqual([[made.name, 'ok', null]]);
    expect(check.warning()).toBeNull();
    writeFileSync(made.file, readFileSync(made.file).fill(1, 9000, 9001));
    await clock.advance(limits.backupCheckEveryMs);
    const fault = expect.objectContaining({ code: 'backup_pages_changed' });
    await expect.poll(() => noted.slice(1)).toEqual([[made.name, 'failed', fault]]);
    expect(check.warning()?.sentence).toMatch(`the newest generation ${made.name} is damaged (its content`);
    await expect.poll(() => raised).toEqual([`${made.name}: ${check.warning()?.sentence}`]);
    rmSync(made.file);
    expect([check.warning(), statSync(old.file).size > 0]).toEqual([null, true]);
    rmSync(old.file);
    expect(check.warning()).toBeNull();
  });
});
