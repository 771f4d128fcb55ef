// Tests that need programs of the system: skipped with the reason where these are not installed, failing in CI.
import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';

/** A group of tests; `packages` is what apt-get would have to install. */
export function withPrograms(packages: string, programs: readonly string[], body: () => void): void {
  const missing = programs.filter((program) => spawnSync(program, ['--help']).error !== undefined);
  if (missing.length > 0 && childEnv().REQUIRE_REAL !== '1') {
    test(programs.join(', '), (context) =>
      context.skip(
        `${missing.join(', ')} not installed: apt-get install ${packages} (REQUIRE_REAL=1 makes this a failure)`,
      ),
    );
  } else {
    describe(programs.join(', '), body);
  }
}
