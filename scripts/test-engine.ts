// `npm run test:engine`: installs the engine of ClickHouse into test/engine/install (566 MB, once), then runs the suites against it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './sources.ts';

const folder = path.join(root, 'test/engine/install');

/** Resolves to the exit code; what it prints goes to this terminal. */
function run(command: string, args: readonly string[], cwd: string): number {
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1;
}

const isInstalled = existsSync(path.join(folder, 'node_modules/.package-lock.json'));
// Not `npm ci`: it refuses a lock file without the engines of other systems, which not every registry has. What the lock
// file names is installed as it says, its digests too, and nothing is written back.
if (!isInstalled && run('npm', ['install', '--no-save'], folder) !== 0) {
  console.error(
    'test:engine: the engine could not be installed: npm install --no-save in test/engine/install says why',
  );
  process.exitCode = 1;
} else {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  process.exitCode = run(process.execPath, [vitest, 'run', '--project', 'engine', ...process.argv.slice(2)], root);
}
