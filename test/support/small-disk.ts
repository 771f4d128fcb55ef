// A disk of a few megabytes in memory, to be filled up: a real one, which only a user who may mount can have.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { childEnv } from '#kernel/env.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Writes a ballast file until there is no room; then takes `roomKb` of it away. */
  fill(roomKb?: number): void;
  /** Takes the ballast away. */
  empty(): void;
}

const block = Buffer.alloc(4096);

/** A group of tests that are skipped, with the reason, where nothing can be mounted; REQUIRE_REAL=1 makes that a failure. */
export function withSmallDisk(body: () => void): void {
  using folder = temporaryFolder();
  const problem = mount(folder.path, 64);
  if (problem === null) {
    unmount(folder.path);
  }
  if (problem !== null && childEnv().REQUIRE_REAL !== '1') {
    test('a full disk', (context) =>
      context.skip(`no tmpfs can be mounted here: ${problem} (REQUIRE_REAL=1 makes this a failure)`));
  } else {
    describe('a full disk', body);
  }
}

/** Throws when it cannot be mounted. */
export function smallDisk(kb: number): SmallDisk {
  const folder = temporaryFolder();
  const problem = mount(folder.path, kb);
  if (problem !== null) {
    throw new Error(`no tmpfs can be mounted: ${problem}`);
  }
  const ballast = path.join(folder.path, 'ballast');
  return {
    path: folder.path,
    fill(roomKb = 0) {
      const handle = openSync(ballast, 'w');
      try {
        for (;;) {
          writeSync(handle, block);
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      } finally {
        closeSync(handle);
      }
      truncateSync(ballast, Math.max(0, statSync(ballast).size - roomKb * 1024));
    },
    empty: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]() {
      unmount(folder.path);
      folder[Symbol.dispose]();
    },
  };
}

function mount(folder: string, kb: number): string | null {
  const run = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kb}k`, 'tmpfs', folder], { encoding: 'utf8' });
  return run.error?.message ?? (run.status === 0 ? null : run.stderr.trim());
}

/** Lazily: a program that was killed may not have let go of its files yet. */
function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}
