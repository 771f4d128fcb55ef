// One hub at a time has a data directory, for as long as its process lives, and npm leaves none behind.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Program, runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Nobody listens there: threat feeds are not fetched from their publishers.
const env = { MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' };
const hubArgs = (dataDir: string) => ['src/main.ts', 'hub', '--port', '0', '--data', dataDir];
const ready = (hub: Program) => hub.printed(/^gatehouse hub ready \S+$/m);

describe('a second hub', () => {
  test('on the same data directory names the first and ends with 1; after kill -9 the next start works', async () => {
    using folder = temporaryFolder();
    await using first = startProgram(hubArgs(folder.path), { env });
    await ready(first);
    const { code, stdout, stderr } = await runProgram(hubArgs(folder.path), { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `gatehouse hub: another gatehouse hub (process ${first.pid}) is using the data directory ${folder.path}: end it first, or give this one a folder of its own with --data\n`,
    );
    first.kill('SIGKILL');
    await first.ended;

    await using next = startProgram(hubArgs(folder.path), { env });
    await ready(next);
    next.kill('SIGTERM');
    expect(await next.ended).toEqual({ code: 0, signal: null });
    expect(readdirSync(folder.path)).not.toContain('hub.pid');
  });

  test('on the same database by MONITOR_DB_PATH is refused too', async () => {
    using folder = temporaryFolder();
    const shared = { ...env, MONITOR_DB_PATH: path.join(folder.path, 'shared.db') };
    await using first = startProgram(hubArgs(path.join(folder.path, 'one')), { env: shared });
    await ready(first);
    const { code, stderr } = await runProgram(hubArgs(path.join(folder.path, 'two')), { env: shared });
    expect(code).toBe(1);
    expect(stderr).toContain(`another gatehouse hub (process ${first.pid}) is using ${shared.MONITOR_DB_PATH}: `);
  });
});

/** The processes that `pid` started, and theirs, nearest first. */
function descendants(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  const children = stdout.trim().split(/\s+/).filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(?:ENOENT|ESRCH)$/) });
    return false;
  }
}

const starts: Record<string, { args: (dataDir: string) => string[]; ready: RegExp }> = {
  start: { args: (dataDir) => ['start', '--', '--port', '0', '--data', dataDir], ready: /^gatehouse hub ready/m },
  'run demo': { args: () => ['run', 'demo', '--', '--free-ports'], ready: /^ready http/m },
};

describe.each(Object.entries(starts))('npm %s leaves no process behind', (_script, { args, ready: isReady }) => {
  test.each([
    ['SIGTERM', 'npm', 0],
    ['SIGTERM', 'what npm started', 1],
    ['SIGINT', 'npm', 0],
    ['SIGTERM', 'the program', -1],
    ['SIGINT', 'the program', -1],
  ] as const)('%s to %s', async (signal, _to, nth) => {
    using folder = temporaryFolder();
    await using npm = startProgram(args(folder.path), { command: 'npm', env, ownGroup: true });
    await npm.printed(isReady);
    const all = [npm.pid, ...descendants(npm.pid)];
    expect(all.length).toBeGreaterThan(1);
    process.kill(all.at(nth) ?? npm.pid, signal);
    try {
      await expect.poll(() => all.filter(isRunning).length).toBe(0);
    } finally {
      for (const pid of all.filter(isRunning)) {
        process.kill(pid, 'SIGKILL');
      }
    }
  });
});
