// Somebody who may write to a folder for logs swaps a file in the moment between its check and its opening, and back.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLog } from '#hub/collect/data-sources/log-path.ts';
import { replaceOpen } from '../../../support/replaced-open.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const somebody = { swap: () => {}, swapBack: () => {} };
let replaced: Disposable;

const { platform } = process;
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
  Object.assign(somebody, { swap: () => {}, swapBack: () => {} });
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

// Linux says where an opened file lies; elsewhere it is compared with the file that has the name.
describe.each([...new Set([platform, 'darwin'])])('on %s', (name) => {
  beforeEach(() => void Object.defineProperty(process, 'platform', { value: name }));
  afterEach(() => void Object.defineProperty(process, 'platform', { value: platform }));

  test('nobody swaps anything', async () => {
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
});

test.runIf(platform === 'linux')('a folder on the way becomes a link that leads out, and stays one', async () => {
  swapped(folder, () => symlinkSync(outside, folder));
  const { swapBack } = somebody;
  somebody.swapBack = () => {};
  await expect(opened()).rejects.toThrow(/changed while it was opened/);
  swapBack();
});
