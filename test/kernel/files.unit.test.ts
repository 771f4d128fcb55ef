// Private files: what is read from them and written to them, by a disk that takes little, and one that is full.
import fs, { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createText, overwriteText, readJson, writeJson, writeText } from '#kernel/files/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Writes to files as `write` does until it is disposed. */
function replaceWrite(write: (real: typeof fs.writeSync, handle: number, bytes: Uint8Array, at: number) => number) {
  const { writeSync: real } = fs;
  const put = (writeSync: unknown) => {
    fs.writeSync = writeSync as typeof real;
    syncBuiltinESMExports();
  };
  put((handle: number, bytes: Uint8Array, at: number) => write(real, handle, bytes, at));
  return { [Symbol.dispose]: () => put(real) };
}

test('JSON is written for people and read again; a missing file is undefined', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a.json');
  expect(readJson(file)).toBeUndefined();
  writeJson(file, { a: [1] });
  expect(readFileSync(file, 'utf8')).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  expect([readJson(file), statSync(file).mode & 0o777]).toEqual([{ a: [1] }, 0o600]);
});

test('a file that is no JSON is named with what to do, and one that cannot be read is no missing one', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a.json');
  writeFileSync(file, '{');
  expect(() => readJson(file)).toThrow(
    expect.objectContaining({
      message: `${file} is not valid JSON: restore it from a backup, or move it away to start anew`,
      cause: expect.any(SyntaxError),
    }),
  );
  expect(() => readJson(folder.path)).toThrow(/EISDIR/);
});

test('a text is written whole, however little one write takes', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a');
  using _slow = replaceWrite((real, handle, bytes, at) => real(handle, bytes, at, 1));
  writeText(file, 'täxt');
  createText(`${file}b`, 'new täxt');
  overwriteText(`${file}c`, 'more täxt');
  const texts = [file, `${file}b`, `${file}c`].map((one) => readFileSync(one, 'utf8'));
  expect(texts).toEqual(['täxt', 'new täxt', 'more täxt']);
});

test.each([
  ['ENOSPC', /^\S+a could not be written: the disk is full; make room on it and try again$/],
  ['EDQUOT', /^\S+a could not be written: the disk is full; make room on it and try again$/],
  ['EIO', /^EIO: no write$/],
])('%s is said, and leaves what was there', (code, says) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a');
  const failure = Object.assign(new Error(`${code}: no write`), { code });
  const refuse = () =>
    replaceWrite(() => {
      throw failure;
    });
  {
    using _refused = refuse();
    expect(() => createText(file, 'new')).toThrow(says);
  }
  expect(readdirSync(folder.path)).toEqual([]);
  writeText(file, 'old');
  using _refused = refuse();
  expect(() => writeText(file, 'new')).toThrow(says);
  expect([readdirSync(folder.path), readFileSync(file, 'utf8')]).toEqual([['a'], 'old']);
  expect(() => overwriteText(file, 'new')).toThrow(says);
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('a file that is written over stays the same file, with its mode; a new one is private', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a');
  overwriteText(file, 'a long text');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o664);
  const { ino, mode } = statSync(file);
  overwriteText(file, 'short');
  expect(statSync(file)).toMatchObject({ ino, mode });
  expect(readFileSync(file, 'utf8')).toBe('short');
});

test('what was left under the temporary name goes with a write that fails', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a');
  mkdirSync(file);
  writeFileSync(`${file}.${process.pid}.tmp`, 'left');
  expect(() => writeText(file, 'new')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder.path)).toEqual(['a']);
  expect(() => writeText(path.join(folder.path, 'none', 'a'), 'new')).toThrow(/ENOENT/);
});
