// Folders that people name: missing parents, files in the way, and a folder that takes no children.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '#kernel/files/make-folder.ts';

test('a folder and its parents are made for this user alone, once; a file in the way and /proc are refused', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'make-folder-'));
  try {
    const folder = path.join(root, 'one', 'two');
    makeFolder(folder);
    makeFolder(folder);
    const modes = [folder, path.dirname(folder)].map((one) => statSync(one).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700]);
    const file = path.join(root, 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow('EEXIST');
    expect(() => makeFolder(path.join(file, 'below'))).toThrow('ENOTDIR');
    expect(() => makeFolder('/proc/nothing/below')).toThrow('ENOENT');
  } finally {
    rmSync(root, { recursive: true });
  }
});
