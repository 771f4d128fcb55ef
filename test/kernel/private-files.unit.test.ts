// Files that hold secrets: their modes are put right or warned of, and what killed processes left is removed.
import fs, { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderWarning, makePrivate, removeStaleTempFiles } from '#kernel/files/private-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const modeOf = (file: string) => statSync(file).mode & 0o777;

function fileWith(folder: string, mode: number): string {
  const file = path.join(folder, 'secret');
  writeFileSync(file, 'secret');
  chmodSync(file, mode);
  return file;
}

test.each([0o644, 0o640, 0o604, 0o601, 0o610, 0o666, 0o777])(
  'a file of mode %o becomes private, and that is said',
  (mode) => {
    using folder = temporaryFolder();
    const file = fileWith(folder.path, mode);
    expect(makePrivate(file)).toBe(
      `${file} had mode 0${mode.toString(8)}: other users of this computer could read or change it; it has mode 0600 now`,
    );
    expect(modeOf(file)).toBe(0o600);
    expect(makePrivate(file)).toBeNull();
  },
);

test('a private file keeps its mode, and no file is none to warn of', () => {
  using folder = temporaryFolder();
  const file = fileWith(folder.path, 0o400);
  expect([makePrivate(file), modeOf(file)]).toEqual([null, 0o400]);
  expect([makePrivate(`${file}-none`), folderWarning(`${file}-none`)]).toEqual([null, null]);
});

test('a file that cannot be made private is said', () => {
  using folder = temporaryFolder();
  const file = fileWith(folder.path, 0o644);
  const { chmodSync: real } = fs;
  fs.chmodSync = () => {
    throw new Error('EPERM: operation not permitted');
  };
  syncBuiltinESMExports();
  try {
    expect(makePrivate(file)).toBe(
      `${file} had mode 0644: other users of this computer could read or change it, and it could not be made private (EPERM: operation not permitted): give it mode 0600`,
    );
  } finally {
    fs.chmodSync = real;
    syncBuiltinESMExports();
  }
  expect(modeOf(file)).toBe(0o644);
});

test('a folder is warned of when others may change what is in it', () => {
  using folder = temporaryFolder();
  const warned = [0o700, 0o755, 0o770, 0o702].map((mode) => {
    chmodSync(folder.path, mode);
    return folderWarning(folder.path);
  });
  const says = (mode: string) =>
    expect.stringMatching(`^the data directory ${folder.path} has mode ${mode}: .*chmod 700$`);
  expect(warned).toEqual([null, null, says('0770'), says('0702')]);
});

test('temporary files are removed of no process that runs', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'a.json');
  // Above the greatest id that Linux gives (proc(5), pid_max).
  const gone = 4_194_305;
  const left = [`a.json.${gone}.tmp`, `a.json.${process.pid}.tmp`];
  const others = [
    ...['a.json', 'a.json.tmp', 'a.json.0.tmp', 'a.json.x.tmp', `a.json.1${gone}00000.tmp`, `a.json.${gone}.tmp2`],
    ...[
      `a.json.0${gone}.tmp`,
      `a.json.${process.ppid}.tmp`,
      `b.json.${gone}.tmp`,
      `aa.json.${gone}.tmp`,
      `a.json.x.${gone}.tmp`,
    ],
  ];
  for (const name of [...left, ...others]) {
    writeFileSync(path.join(folder.path, name), 'half');
  }
  mkdirSync(path.join(folder.path, 'a.json.d'));
  removeStaleTempFiles(file);
  expect(readdirSync(folder.path).toSorted()).toEqual([...others, 'a.json.d'].toSorted());
});
