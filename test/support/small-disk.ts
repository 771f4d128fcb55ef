// Tests on a disk that is full: skipped, with the reason, where nothing can be mounted.
import { describe, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import { mountProblem } from './mounted-disk.ts';

/** A group of tests that are skipped, with the reason, where nothing can be mounted; REQUIRE_REAL=1 makes that a failure. */
export function withSmallDisk(body: () => void): void {
  const problem = mountProblem();
  if (problem !== null && childEnv().REQUIRE_REAL !== '1') {
    test('a full disk', (context) =>
      context.skip(`no tmpfs can be mounted here: ${problem} (REQUIRE_REAL=1 makes this a failure)`));
  } else {
    describe('a full disk', body);
  }
}
