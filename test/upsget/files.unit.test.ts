// A file that is replaced: the old text or the new one, and nothing left over.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '#upsget/files.ts';
import { openFilesBelow } from '../support/open-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the new text stands under the old name, for whom the mode says', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'values');
  replaceFile(file, 'first', 0o600);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o400);
  const text = 'ä'.repeat(1_000_000);
  replaceFile(file, text, 0o600);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path)).toEqual(['values']);
});

test('what cannot be replaced stays, and leaves no temporary file', () => {
  using folder = temporaryFolder();
  const name = path.join(folder.path, 'values');
  mkdirSync(name);
  writeFileSync(path.join(name, 'kept'), '');
  expect(() => replaceFile(name, 'text', 0o600)).toThrow(expect.objectContaining({ syscall: 'rename' }));
  expect(readdirSync(folder.path, { recursive: true }).sort()).toEqual(['values', 'values/kept']);
});

test.runIf(process.platform === 'linux')('no handle stays open, whether it worked or not', () => {
  using folder = temporaryFolder();
  mkdirSync(path.join(folder.path, 'taken'));
  for (const _time of [1, 2]) {
    replaceFile(path.join(folder.path, 'values'), 'text', 0o600);
    expect(() => replaceFile(path.join(folder.path, 'taken'), 'text', 0o600)).toThrow();
  }
  expect(openFilesBelow(folder.path)).toEqual([]);
});
