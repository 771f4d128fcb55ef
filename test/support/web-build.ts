// The built web UI, for tests that serve it: built once a run, in a process of its own, before any test begins.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, runProgram } from './program.ts';

/** What vitest calls first (vitest.config.ts). */
export async function setup(): Promise<void> {
  const { code, stdout, stderr } = await runProgram(['scripts/build-web.ts', '--if-missing'], {
    // As a user builds it: the test runner's own word makes another, larger build.
    env: { NODE_ENV: 'production' },
  });
  if (code !== 0) {
    throw new Error(`the web UI could not be built: ${stdout}${stderr}`);
  }
}

/** Its folder. */
export function builtWeb(): string {
  const folder = path.join(root, 'dist/web');
  if (!existsSync(path.join(folder, 'index.html'))) {
    throw new Error('the web UI is not built: npm run build:web');
  }
  return folder;
}
