// A fresh checkout without its dependencies: whatever npm says, stdout belongs to the program that is started.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import { eventually } from '../support/eventually.ts';
import { root, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Speaks as npm does, and ends once there is a file `go`. */
const npm = `#!${process.execPath}
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
console.log('npm says on stdout: ' + process.argv.slice(2).join(' '));
const wait = setInterval(() => {
  if (existsSync('go')) {
    clearInterval(wait);
    mkdirSync('node_modules');
    writeFileSync('node_modules/.package-lock.json', '{}');
    console.log('added 507 packages');
  }
}, 20);
`;

function copyInto(folder: string, names: readonly string[]): void {
  for (const name of names) {
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
}

test.each([['mcp'], ['sim', 'ups']])(
  'gatehouse %s installs with its words, and a sign of life, on stderr',
  async (...words) => {
    using folder = temporaryFolder();
    copyInto(folder.path, ['bin', 'scripts/launch.mjs', 'package.json', 'package-lock.json']);
    mkdirSync(path.join(folder.path, 'src'));
    writeFileSync(path.join(folder.path, 'src/main.ts'), 'console.log(\'{"jsonrpc":"2.0"}\');\n');
    writeFileSync(path.join(folder.path, 'npm'), npm, { mode: 0o755 });
    const PATH = `${folder.path}${path.delimiter}${childEnv().PATH}`;
    const env = { PATH, npm_execpath: '' };
    await using program = startProgram(['bin/gatehouse.js', ...words], { cwd: folder.path, env });
    await eventually(
      async () => program.stderr(),
      (text) => (/still installing/.test(text) ? text : undefined),
    );
    writeFileSync(path.join(folder.path, 'go'), '');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stdout()).toBe('{"jsonrpc":"2.0"}\n');
    expect(program.stderr()).toMatch(
      /^Installing the dependencies[\s\S]*npm says on stdout: ci[\s\S]*added 507 packages/,
    );
  },
);

test('an npm that fails: what to do, on stderr, exit code 1', async () => {
  using folder = temporaryFolder();
  copyInto(folder.path, ['bin', 'scripts/launch.mjs', 'package-lock.json']);
  const env = { PATH: folder.path, npm_execpath: '' };
  await using program = startProgram(['bin/gatehouse.js', 'mcp'], { cwd: folder.path, env });
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.stdout()).toBe('');
  expect(program.stderr()).toMatch(/could not be installed: npm cannot be started.*run "npm ci"/);
});
