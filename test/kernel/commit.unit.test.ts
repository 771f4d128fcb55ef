// The commit a program was built from: what it was told, a file made at build, or the checkout, in this order.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildCommit, commitSetting, releaseName } from '#kernel/process/commit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const [a = '', b = '', c = ''] = ['a', 'b', 'c'].map((digit) => digit.repeat(40));

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text.replace('FOLDER', folder));
  }
}

describe('the build commit', () => {
  it.each<[what: string, files: Record<string, string>, expected: string | null]>([
    ['nothing says it', {}, null],
    ['a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${a}\n` }, a],
    ['a detached head', { '.git/HEAD': `${b}\n` }, b],
    [
      'packed references',
      {
        '.git/HEAD': 'ref: refs/heads/x/y\n',
        '.git/packed-refs': `# pack-refs\n${b} refs/heads/x\n${c} refs/heads/x/y\n`,
      },
      c,
    ],
    [
      'a linked worktree',
      {
        '.git': 'gitdir: main/.git/worktrees/w\n',
        'main/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n',
        'main/.git/worktrees/w/commondir': '../..\n',
        'main/.git/refs/heads/w': `${a}\n`,
      },
      a,
    ],
    ['a file made at build wins', { COMMIT: `${c}\n`, '.git/HEAD': a }, c],
    ['a file with something else does not', { COMMIT: 'main\n', '.git/HEAD': a }, a],
    [
      'a worktree by its full path, with packed references',
      {
        '.git': 'gitdir: FOLDER/main/.git/worktrees/w\n',
        'main/.git/worktrees/w/HEAD': 'ref: refs/heads/w\n',
        'main/.git/worktrees/w/commondir': '../..\n',
        'main/.git/packed-refs': `${b} refs/heads/w\n`,
      },
      b,
    ],
    ['a submodule', { '.git': 'gitdir: x\n', 'x/HEAD': 'ref: refs/heads/w\n', 'x/refs/heads/w': `${a}\n` }, a],
    ['a file in place of the folder of git', { '.git': 'nothing\n' }, null],
    ['a folder in place of the file', { 'COMMIT/x': '', '.git/HEAD': a }, a],
    ['a file with more than a commit', { COMMIT: `${a}0\n` }, null],
    ['a file with a commit in it', { COMMIT: `x${a}\n` }, null],
    ['a reference that leads out', { '.git/HEAD': 'ref: ../x\n', '.git/refs/heads/main': a }, null],
    ['other packed references', { '.git/HEAD': 'ref: refs/heads/x\n', '.git/packed-refs': `${b} refs/heads/y` }, null],
    ['a branch without a commit', { '.git/HEAD': 'ref: refs/heads/main\n' }, null],
  ])('%s', (_what, files, expected) => {
    using folder = temporaryFolder();
    write(folder.path, files);
    expect(buildCommit(undefined, folder.path)).toBe(expected);
    expect(buildCommit('f'.repeat(40), folder.path)).toBe('f'.repeat(40));
  });

  it('is not guessed where a file cannot be read', () => {
    using folder = temporaryFolder();
    symlinkSync('COMMIT', path.join(folder.path, 'COMMIT'));
    expect(() => buildCommit(undefined, folder.path)).toThrow(/ELOOP/);
  });

  it('is 40 digits, and becomes build metadata of the version', () => {
    expect(commitSetting.safeParse(a).success).toBe(true);
    for (const text of ['main', `${a}0`, `0${a}`, a.slice(1), 'A'.repeat(40)]) {
      expect(commitSetting.safeParse(text).success).toBe(false);
    }
    expect(commitSetting.safeParse(undefined).success).toBe(true);
    expect(releaseName('1.2.3', a)).toBe(`1.2.3+${a}`);
    expect(releaseName('1.2.3', null)).toBe('1.2.3');
  });
});
