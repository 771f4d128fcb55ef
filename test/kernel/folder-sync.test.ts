// A folder that cannot be synced after the rename: the new file is in place, and whoever wrote it must know that.
import fs, { readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeText } from '#kernel/files/files.ts';
import { replaceFile } from '#upsget/files.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const { fsyncSync } = fs;
const folder = makeFolder('sync');

beforeEach(() => {
  fs.fsyncSync = (fd) => {
    if (fs.fstatSync(fd).isDirectory()) {
      throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', syscall: 'fsync' });
    }
    fsyncSync(fd);
  };
  syncBuiltinESMExports();
});

afterEach(() => {
  fs.fsyncSync = fsyncSync;
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
});

test.each([
  ['the kernel', (file: string, text: string) => writeText(file, text)],
  ['upsget', (file: string, text: string) => replaceFile(file, text, 0o600)],
])('%s reports what is in the file', (_name, write) => {
  const file = path.join(folder, 'a.json');
  fs.writeFileSync(file, 'old');
  let shown = 'new';
  try {
    write(file, 'new');
  } catch {
    shown = 'old';
  }
  expect(readFileSync(file, 'utf8')).toBe(shown);
  expect(fs.readdirSync(folder)).toEqual(['a.json']);
});
