// `npm run release:check` in a clone with a release of its own, from the first refusal to the signed package.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageVersion } from '#kernel/process/version.ts';
import { root, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const clone = path.join(folder.path, 'clone');
const out = path.join(folder.path, 'out');
const tarball = path.join(out, `gatehouse-${packageVersion()}.tgz`);
const key = path.join(folder.path, 'release.key');
const author = ['-c', 'user.name=A Tester', '-c', 'user.email=tester@example.com'];

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(args, { command, cwd });
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

const commit = (message: string) => run('git', [...author, 'commit', '-qam', message], clone);
const check = () => runProgram(['scripts/release-check.ts', '--key', key, '--out', out], { cwd: clone });
const gate = (...args: string[]) => runProgram(['bin/gatehouse.js', 'gate', ...args]);
const edit = (file: string, change: (text: string) => string) =>
  writeFileSync(path.join(clone, file), change(readFileSync(path.join(clone, file), 'utf8')));

/** The changelog of a clone in which `said` is all that the release says. */
const released = (said: string) => () =>
  `# Changelog\n\n## [Unreleased]\n\n## [${packageVersion()}] - 2026-11-25\n\n${said}\n`;

beforeAll(async () => {
  await run('git', ['clone', '-q', root, clone], folder.path);
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  expect((await gate('keygen', '--out', key)).code).toBe(0);
  // A release before, which did not know one variable yet.
  edit('test/pins/env.txt', (text) => text.replace(/^MONITOR_OFFLINE_MODE.*\n/m, ''));
  await commit('Release before');
  await run('git', ['tag', 'v0.0.9'], clone);
  await run('git', ['checkout', '-q', 'HEAD~', '--', 'test/pins/env.txt'], clone);
  edit('CHANGELOG.md', () => '# Changelog\n\n## [Unreleased]\n\n- Something.\n');
  await commit('A variable');
});

test('what is not committed, not in a release, or not named is refused', async () => {
  edit('CHANGELOG.md', (text) => `${text}- More.\n`);
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringMatching(/commit or remove these first/) });
  await commit('More');
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringMatching(/entries that belong to no release/) });
  edit('CHANGELOG.md', released('- A change.'));
  await commit('Release');
  expect(await check()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /test\/pins\/env\.txt: MONITOR_OFFLINE_MODE is new, and CHANGELOG\.md does not name it/,
    ),
  });
});

test('a commit that holds is built twice, used and signed, and its signature verifies', async () => {
  edit('CHANGELOG.md', released('- `MONITOR_OFFLINE_MODE` forbids all requests.'));
  await commit('Release with a name');
  const { code, stdout, stderr } = await check();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/a second build has the same bytes … ok/);
  const [digest] = readFileSync(`${tarball}.sha256`, 'utf8').split(' ');
  expect(stdout).toContain(`sha256 ${digest}`);
  const head = (await run('git', ['rev-parse', 'HEAD'], clone)).trim();

  const simulators = path.join(out, `gatehouse-simulators-${packageVersion()}.tgz`);
  expect(await gate('verify-release', simulators, '--key', `${key}.pub`, '--commit', head)).toMatchObject({ code: 0 });
  const verify = (...more: string[]) => gate('verify-release', tarball, '--key', `${key}.pub`, ...more);
  expect(await verify('--commit', head)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`version ${packageVersion()}\ncommit ${head}\nsha256 ${digest}`)),
  });
  expect(await verify('--commit', '0'.repeat(40))).toMatchObject({
    code: 1,
    stdout: `it was built from commit ${head}\n`,
  });
  writeFileSync(tarball, Buffer.concat([readFileSync(tarball), Buffer.from([0])]));
  expect(await verify()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/another file, or the file was changed/),
  });
});

test('wrong arguments are refused before anything is built', async () => {
  const wrong = await runProgram(['scripts/release-check.ts', '--kee', key]);
  expect({ code: wrong.code, said: wrong.stderr }).toMatchObject({ code: 2, said: expect.stringMatching(/--kee/) });
  expect((await runProgram(['scripts/release-check.ts', '--help'])).stdout).toMatch(/^Usage: npm run release:check/);
});
