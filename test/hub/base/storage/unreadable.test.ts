// Files that cannot be read now are neither absent nor damaged: what would replace them is not begun.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { findGeneration } from '#hub/base/storage/backup/inventory.ts';
import { verifyGeneration } from '#hub/base/storage/backup/verify.ts';
import { prepareSettings } from '#hub/base/storage/commands/restored-settings.ts';
import { prepareDatabase } from '#hub/base/storage/restore/prepare.ts';
import { isThere } from '#kernel/files/files.ts';
import { changeClosed } from '#kernel/sqlite/database-copy.ts';
import { createKey, seal } from '#kernel/text/secret.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { writeNewDatabase } from '../../../support/new-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a generation whose header cannot be read is not called damaged', async () => {
  using folder = temporaryFolder();
  const [source, target] = [path.join(folder.path, 'one.db'), path.join(folder.path, 'incoming')];
  new Database(source).exec('CREATE TABLE one (id)').close();
  const refusal = { code: 'generation_damaged', what: 'the generation' } as const;
  const prepared = () => prepareDatabase({ source, target, refusal }, () => undefined);
  await expect(prepared()).rejects.toMatchObject({ code: 'generation_damaged' });
  using _failing = failFiles(folder.path, { at: 1, count: 1, error: 'EMFILE' }, 'reading');
  await expect(prepared()).rejects.toMatchObject({ code: 'backup_failed', message: expect.stringContaining('EMFILE') });
});

test('a database that SQLite cannot open is refused as one that cannot be written, not as a damaged one', () => {
  using folder = temporaryFolder();
  expect(() => changeClosed(folder.path, () => undefined)).toThrow(
    expect.objectContaining({ code: 'save_failed', message: expect.stringContaining('unable to open') }),
  );
});

test('a database that SQLite cannot open, though the system can, is not called damaged', async () => {
  using folder = temporaryFolder();
  // SQLite takes names of 512 bytes, the system longer ones.
  const deep = path.join(folder.path, ...Array(6).fill('d'.repeat(99)));
  mkdirSync(deep, { recursive: true });
  const [short, name] = [path.join(folder.path, 'short.db'), createGenerationName(1)];
  writeNewDatabase(short);
  cpSync(short, path.join(deep, name));
  const stored = findGeneration(deep, name);
  const fault = stored && (await verifyGeneration(stored));
  expect(fault?.sentence).toBe('it could not be verified (unable to open database file)');
  const refusal = { code: 'generation_damaged', what: 'the generation' } as const;
  const task = { source: short, target: path.join(deep, 'incoming'), refusal };
  await expect(prepareDatabase(task, () => undefined)).rejects.toMatchObject({ code: 'backup_failed' });
});

test('settings are restored without their secrets only when the key is missing or another one', () => {
  using folder = temporaryFolder();
  const files = { documentFile: path.join(folder.path, 'monitor.json'), keyFile: path.join(folder.path, 'secret.key') };
  const [key, otherKey] = [createKey(), createKey()];
  const documents = { settings: JSON.stringify({ token: seal('secret', key) }), notes: null };
  const restored = () => prepareSettings(files, documents, { replaces: true, blanks: true })?.blanked;
  expect(restored()).toEqual(['token']);
  writeFileSync(files.keyFile, otherKey);
  expect(restored()).toEqual(['token']);
  writeFileSync(files.keyFile, key);
  expect(restored()).toBeNull();
  rmSync(files.keyFile);
  mkdirSync(files.keyFile);
  expect(restored).toThrow(/EISDIR/);
});

test('what the system does not say is not taken for "there is none"', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'one');
  expect(isThere(file)).toBe(false);
  writeFileSync(file, '');
  expect(isThere(file)).toBe(true);
  expect(isThere(path.join(file, 'two'))).toBe(false);
  using _failing = failFiles(folder.path, { at: 1, count: 1, error: 'EIO' }, 'reading');
  expect(() => isThere(file)).toThrow(/EIO/);
});
