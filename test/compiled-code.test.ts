// Where the launcher keeps what Node compiled: in a folder of the user's own, or nowhere.
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ProgramOptions, runProgram } from './support/program.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const nowhere = { HOME: '', XDG_CACHE_HOME: '', CACHE_DIRECTORY: '', NODE_COMPILE_CACHE: '' };

async function version(env: ProgramOptions['env'], program = 'gatehouse'): Promise<void> {
  const result = await runProgram([`bin/${program}.js`, '--version'], { env: { ...nowhere, ...env } });
  expect(result).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
}

test('it is kept below the cache folder that the service, the desktop or the home names, readable by its owner alone', async () => {
  using folder = temporaryFolder();
  const at = (name: string) => path.join(folder.path, name);
  mkdirSync(at('home'));
  await version({ HOME: at('home') });
  await version({ HOME: at('home'), XDG_CACHE_HOME: at('desktop') });
  await version({
    HOME: at('home'),
    XDG_CACHE_HOME: at('desktop2'),
    CACHE_DIRECTORY: `${at('service')}:${at('more')}`,
  });
  for (const name of ['home/.cache', 'desktop', 'service']) {
    const kept = at(`${name}/gatehouse`);
    expect(statSync(kept).mode & 0o777, name).toBe(0o700);
    expect(readdirSync(kept, { recursive: true }).length, name).toBeGreaterThan(1);
  }
  expect(existsSync(at('desktop2'))).toBe(false);
});

test('without a folder, or with one where others can write, the program runs and keeps nothing', async () => {
  using folder = temporaryFolder();
  await version({});
  await version({ HOME: path.join(folder.path, 'missing') });
  expect(readdirSync(folder.path)).toEqual([]);
  writeFileSync(path.join(folder.path, 'file'), '');
  await version({ XDG_CACHE_HOME: path.join(folder.path, 'file') });
  for (const program of ['gatehouse', 'upsget']) {
    const shared = path.join(folder.path, program);
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    await version({ XDG_CACHE_HOME: folder.path }, program);
    expect(readdirSync(shared)).toEqual([]);
  }
});
