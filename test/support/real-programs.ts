// Tests that need programs of the system: skipped with the reason where these are not installed, failing in CI.
import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';

/** A group of tests; `packages` is what apt-get would have to install. */
export function withPrograms(packages: string, programs: readonly string[], body: () => void): void {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', 'command -v "$0"', program]).status !== 0);
  describeUnless(missing, packages, programs, body);
}

/** Python of the system, for which the packages of the system are; another one may come first in PATH. */
export const python = '/usr/bin/python3';

/** A group of tests that run scripts of Python with these modules. */
export function withPython(packages: string, modules: readonly string[], body: () => void): void {
  const missing = modules.filter((module) => spawnSync(python, ['-c', `import ${module}`]).status !== 0);
  describeUnless(missing, packages, modules, body);
}

function describeUnless(
  missing: readonly string[],
  packages: string,
  names: readonly string[],
  body: () => void,
): void {
  if (missing.length > 0 && childEnv().REQUIRE_REAL !== '1') {
    test(names.join(', '), (context) =>
      context.skip(
        `${missing.join(', ')} not installed: apt-get install ${packages} (REQUIRE_REAL=1 makes this a failure)`,
      ),
    );
  } else {
    describe(names.join(', '), body);
  }
}
