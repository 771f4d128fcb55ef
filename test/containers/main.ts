// `npm run test:containers`: looks for a container engine, installs this folder, builds the package and runs the suites.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { childEnv } from '../../src/kernel/process/env.ts';
import { findEngine, skippedSentence } from './engine.ts';

const folder = import.meta.dirname;
const root = path.resolve(folder, '../..');
const env = childEnv();
const found = await findEngine(env);

if ('tried' in found) {
  console.log(`test:containers ${skippedSentence(found)}`);
  process.exitCode = env.REQUIRE_CONTAINERS === '1' ? 1 : 0;
} else {
  console.log(`test:containers uses ${found.host}`);
  const host = { DOCKER_HOST: found.host };
  const tool = (name: string, entry: string) => path.join(root, 'node_modules', name, entry);
  run('npm', ['ci', '--ignore-scripts'], folder);
  run(process.execPath, [tool('typescript', 'bin/tsc'), '--noEmit', '-p', folder], root);
  run(process.execPath, [path.join(root, 'scripts/build-package.ts')], root);
  const config = path.join(folder, 'vitest.config.ts');
  run(
    process.execPath,
    [tool('vitest', 'vitest.mjs'), 'run', '--config', config, ...process.argv.slice(2)],
    root,
    host,
  );
}

/** Ends with what it ended with, unless that is 0. */
function run(command: string, args: readonly string[], cwd: string, more: Record<string, string> = {}): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', env: childEnv(more) });
  if (status !== 0) {
    console.error(`test:containers: ${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
    process.exit(status ?? 1);
  }
}
