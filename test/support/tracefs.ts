// The tracing files of the kernel for tests of kernel events: those of the machine, or a mount of our own where we may.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import { temporaryFolder } from './temporary-folder.ts';

const usual = '/sys/kernel/tracing';

export interface Tracefs extends Disposable {
  readonly path: string;
}

/** A mount that is gone when its scope ends, or one sentence that says why there is none. */
export function mountTracefs(): Tracefs | string {
  if (existsSync(`${usual}/events/sock/inet_sock_set_state`)) {
    return { path: usual, [Symbol.dispose]() {} };
  }
  const folder = temporaryFolder();
  const run = spawnSync('mount', ['-t', 'tracefs', 'tracefs', folder.path], { encoding: 'utf8' });
  if (run.status !== 0) {
    folder[Symbol.dispose]();
    return run.error?.message ?? run.stderr.trim();
  }
  return {
    path: folder.path,
    [Symbol.dispose]() {
      spawnSync('umount', ['-l', folder.path]);
      folder[Symbol.dispose]();
    },
  };
}

/** A group of tests that are skipped, with the reason, where tracefs cannot be had; REQUIRE_REAL=1 makes that a failure. */
export function withTracefs(body: () => void): void {
  const found = mountTracefs();
  if (typeof found === 'string') {
    const reason = `no tracefs: ${found}; run as root, and mount -t tracefs tracefs ${usual} (REQUIRE_REAL=1 makes this a failure)`;
    test('kernel events', (context) => {
      if (childEnv().REQUIRE_REAL === '1') {
        throw new Error(reason);
      }
      context.skip(reason);
    });
    return;
  }
  found[Symbol.dispose]();
  describe('kernel events', body);
}

/** Throws when it cannot be mounted. */
export function tracefs(): Tracefs {
  const found = mountTracefs();
  if (typeof found === 'string') {
    throw new Error(found);
  }
  return found;
}
