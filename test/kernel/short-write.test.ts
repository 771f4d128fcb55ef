// Files that are replaced while no more can be written: the old one stays whole, the caller is told, nothing is left over.
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createText, writeText } from '#kernel/files/files.ts';
import { replaceFile } from '#upsget/files.ts';
import { runProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const limit = 8192;

/** Text that saves something, or something of more than `limit` bytes, into the file `file`. */
const savers: Record<string, { file: string; save: string }> = {
  'the settings': {
    file: 'monitor.json',
    save: `const { openDocument } = await import('#hub/base/settings/document.ts');
      const document = openDocument(file, '0'.repeat(64));
      const save = (text) => document.update((all) => ({ ...all, chat: { ...all.chat, channel: text } }));`,
  },
  'the notes': {
    file: '.monitor.notes.json',
    save: `const { openNoteFile } = await import('#hub/identify/notes/note-file.ts');
      const notes = openNoteFile(file);
      const save = (text) => notes.replace(new Map([['192.0.2.1', text]]));`,
  },
  'a state file of upsget': {
    file: 'certificates',
    save: `const { replaceFile } = await import('#upsget/files.ts');
      const save = (text) => replaceFile(file, text, 0o600);`,
  },
  'a snapshot of upsget': {
    file: 'status.en.html',
    save: `const { createSnapshot } = await import('#upsget/snapshot.ts');
      const path = await import('node:path');
      const save = (text) => {
        const snapshot = createSnapshot({ folder: path.dirname(file), secrets: [], version: '0' });
        const body = '<html lang="en"><p id="value_UPSStatus">1</p>' + text + '</html>';
        snapshot.add({ method: 'GET', path: '/status' }, { status: 200, headers: {}, body });
        snapshot.save();
      };`,
  },
};

withPrograms('util-linux', ['prlimit'], () => {
  describe('under a limit of the size of files', () => {
    test.each(Object.entries(savers))('%s: stays as it was', async (name, { file, save }) => {
      using folder = temporaryFolder();
      const target = path.join(folder.path, file);
      const run = (text: string) =>
        runProgram([`--fsize=${limit}`, process.execPath, '--input-type=module', '-e', program(save), target, text], {
          command: 'prlimit',
        });
      expect(await run('small')).toMatchObject({ code: 0, stdout: '{}\n' });
      const before = readFileSync(target, 'utf8');
      const names = readdirSync(folder.path);
      expect(before).toContain('small');
      const { stdout } = await run('x'.repeat(limit + 1));
      expect([name, readFileSync(target, 'utf8')]).toEqual([name, before]);
      expect(readdirSync(folder.path)).toEqual(names);
      const { code, message } = JSON.parse(stdout) as { code?: string; message?: string };
      expect(message).toMatch(/EFBIG|file too large/i);
      expect(code).toBe(file.includes('monitor') ? 'save_failed' : code);
    });
  });

  test('a key that cannot be written whole is not there: the next start makes one', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'secret.key');
    const save = `const { secretKey } = await import('#hub/base/settings/secret-key.ts');
      const save = () => void secretKey(file, file + '.settings');`;
    const args = (limit: string) => [
      `--fsize=${limit}`,
      process.execPath,
      '--input-type=module',
      '-e',
      program(save),
      file,
    ];
    expect((await runProgram(args('10'), { command: 'prlimit' })).stdout).toMatch(/EFBIG/);
    expect(readdirSync(folder.path)).toEqual([]);
    expect((await runProgram(args('unlimited'), { command: 'prlimit' })).stdout).toBe('{}\n');
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });
});

function program(save: string): string {
  return `const [file, text] = process.argv.slice(1);
    ${save}
    try {
      save(text);
      console.log('{}');
    } catch ({ code, message }) {
      console.log(JSON.stringify({ code, message }));
    }`;
}

describe('what a killed run left under the temporary name', () => {
  const replacers: readonly [string, (file: string, text: string) => void][] = [
    ['kernel', writeText],
    ['upsget', (file, text) => replaceFile(file, text, 0o600)],
  ];
  test.each(replacers)('%s: is neither in the way nor followed, and its mode is not taken over', (_name, replace) => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'file');
    const other = path.join(folder.path, 'other');
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, 'left over');
    chmodSync(temporary, 0o644);
    replace(file, 'first');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['first', 0o600]);
    writeFileSync(other, 'of somebody else');
    rmSync(temporary, { force: true });
    symlinkSync(other, temporary);
    replace(file, 'second');
    expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['second', 'of somebody else']);
    // upsget's temporary names are random: what lies under another one is not its own to remove.
    expect(readdirSync(folder.path).filter((name) => !name.endsWith('.tmp'))).toEqual(['file', 'other']);
  });
});

test('a new file is made whole or not at all, and never over another', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'file');
  createText(file, 'first');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['first', 0o600]);
  expect(() => createText(file, 'second')).toThrow(/EEXIST/);
  expect(readFileSync(file, 'utf8')).toBe('first');
});
