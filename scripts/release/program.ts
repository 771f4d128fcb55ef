// Programs that a release runs to their end.
import { spawnSync } from 'node:child_process';
import { childEnv } from '#kernel/process/env.ts';
import { root } from '../sources.ts';

/** What it printed. Throws with its own words when it fails. */
export function runForOutput(command: string, args: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: childEnv({ FORCE_COLOR: '0' }),
    maxBuffer: 2 ** 27,
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stderr}${stdout}`.trim()}`);
  }
  return stdout;
}

export function git(...args: string[]): string {
  return runForOutput('git', args);
}
