// Somebody who may write to a folder for logs swaps a file in the moment between its check and its opening, and back.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLog } from '#hub/data-sources/log-path.ts';
import { replaceOpen } from '../../support/replaced-open.ts';
import { makeFolder } from '../../support/temporary-folder.ts';

const somebody = { swap: () => {}, swapBack: () => {} };
let replaced: Disposable;

let root: string;
let folder: string;
let file: string;
let outside: string;

beforeEach(() => {
  root = makeFolder('race');
  folder = path.join(root, 'logs/sub');
  file = path.join(folder, 'a.log');
  outside = path.join(root, 'outside');
  mkdirSync(folder, { recursive: true });
  mkdirSync(outside);
  writeFileSync(file, 'inside');
  writeFileSync(path.join(outside, 'a.log'), 'outside');
  replaced = replaceOpen((open) => async (...args) => {
    somebody.swap();
    try {
      return await open(...args);
    } finally {
      somebody.swapBack();
    }
  });
});
afterEach(() => {
  replaced[Symbol.dispose]();
  rmSync(root, { recursive: true });
});

/** The thing at `place` is another one while the file is opened. */
function swapped(place: string, put: () => void): void {
  somebody.swap = () => {
    renameSync(place, `${root}/kept`);
    put();
  };
  somebody.swapBack = () => {
    rmSync(place);
    renameSync(`${root}/kept`, place);
  };
}

const opened = async () => {
  await using handle = await openLog(file, [path.join(root, 'logs')]);
  return handle.readFile('utf8');
};

test('nobody swaps anything', async () => {
  somebody.swap = () => {};
  somebody.swapBack = () => {};
  expect(await opened()).toBe('inside');
});

test('the file becomes a link that leads out', async () => {
  swapped(file, () => symlinkSync(path.join(outside, 'a.log'), file));
  await expect(opened()).rejects.toThrow(/changed while it was opened/);
});

test('a folder on the way becomes a link that leads out', async () => {
  swapped(folder, () => symlinkSync(outside, folder));
  await expect(opened()).rejects.toThrow(/changed while it was opened/);
});

test('the file becomes a pipe that nobody writes to', async () => {
  swapped(file, () => spawnSync('mkfifo', [file]));
  await expect(opened()).rejects.toThrow(/not a regular file/);
});
