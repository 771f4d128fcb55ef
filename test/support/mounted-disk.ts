// A disk of a few megabytes in memory, to be filled up: a real one, which only a user who may mount can have.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Writes a ballast file until there is no room; then takes `roomKb` of it away. */
  fill(roomKb?: number): void;
  /** Takes the ballast away. */
  empty(): void;
}

const blocks = [Buffer.alloc(1_048_576), Buffer.alloc(4096)];

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
        for (const block of blocks) {
          writeUntilFull(handle, block);
        }
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

/** Why none can be mounted here; null when one can. */
export function mountProblem(): string | null {
  using folder = temporaryFolder();
  const problem = mount(folder.path, 64);
  if (problem === null) {
    unmount(folder.path);
  }
  return problem;
}

function writeUntilFull(handle: number, block: Buffer): void {
  try {
    for (;;) {
      writeSync(handle, block);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') {
      throw error;
    }
  }
}

function mount(folder: string, kb: number): string | null {
  const run = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kb}k`, 'tmpfs', folder], { encoding: 'utf8' });
  return run.error?.message ?? (run.status === 0 ? null : run.stderr.trim());
}

/** Lazily: a program that was killed may not have let go of its files yet. */
function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}
