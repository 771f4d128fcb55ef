// A lock that one holder has at a time, and the process id that others read.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findLockHolder, takeFileLock } from '#kernel/files/file-lock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a lock is taken once, names its holder, and can be taken again when it was given back', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  expect(findLockHolder(name)).toBeNull();
  for (let round = 0; round < 2; round += 1) {
    using lock = takeFileLock(name);
    expect(lock?.pidFileError).toBeNull();
    expect(takeFileLock(name)).toBeNull();
    expect(findLockHolder(name)).toBe(process.pid);
    expect(readFileSync(`${name}.pid`, 'utf8')).toBe(`${process.pid}\n`);
    // No journal that a full disk would have no room for.
    expect(readdirSync(folder.path).toSorted()).toEqual(['place.lock', 'place.pid']);
  }
  expect(findLockHolder(name)).toBeNull();
  expect([readdirSync(folder.path), statSync(`${name}.lock`).mode & 0o777]).toEqual([['place.lock'], 0o600]);
});

test('a lock holds although its process cannot be noted', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  // What a folder of this name does to the file, a full disk does too.
  mkdirSync(`${name}.pid.${process.pid}.tmp`);
  {
    using lock = takeFileLock(name);
    expect(lock?.pidFileError).toBeInstanceOf(Error);
    expect(takeFileLock(name)).toBeNull();
    expect(findLockHolder(name)).toBeNull();
  }
  takeFileLock(name)?.[Symbol.dispose]();
});

test('an id of an earlier holder goes when a new one cannot be noted', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  writeFileSync(`${name}.pid`, '4711\n');
  mkdirSync(`${name}.pid.${process.pid}.tmp`);
  using _lock = takeFileLock(name);
  expect(findLockHolder(name)).toBeNull();
});

test('a lock holds, and can be given back, although nothing can write or remove a process id', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  // Nothing can replace or remove a folder as a file; a parent folder that is not writable does the same to a file.
  mkdirSync(`${name}.pid`);
  for (let round = 0; round < 2; round += 1) {
    using lock = takeFileLock(name);
    expect(lock?.pidFileError).toBeInstanceOf(Error);
    expect(takeFileLock(name)).toBeNull();
  }
});

test.each(['', '0', '012', 'x', '1x', '-1', '12345678901'])('%j is no process id', (text) => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  writeFileSync(`${name}.pid`, text);
  expect(findLockHolder(name)).toBeNull();
});

test('what cannot be read or locked is an error', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'place');
  writeFileSync(`${name}.pid`, ' 1234567890 \n');
  expect(findLockHolder(name)).toBe(1_234_567_890);
  mkdirSync(path.join(folder.path, 'folder.pid'));
  expect(() => findLockHolder(path.join(folder.path, 'folder'))).toThrow(/EISDIR/);
  expect(() => takeFileLock(path.join(folder.path, 'none', 'place'))).toThrow(/ENOENT/);
  writeFileSync(`${name}.lock`, 'something else');
  expect(() => takeFileLock(name)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`${name}.lock cannot be locked (SqliteError: file is not a database): remove`),
      cause: expect.objectContaining({ code: 'SQLITE_NOTADB' }),
    }),
  );
  expect(findLockHolder(name)).toBe(1_234_567_890);
});
