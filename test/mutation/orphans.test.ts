// A run of mutations leaves no program behind, and ends none that is not its own.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { endingOrphans, endOrphans } from './orphans.ts';

const marker = () => `MUTATION_RUN=${randomUUID()}`;
const environment = (mark: string) => ({ ...process.env, MUTATION_RUN: mark.slice(mark.indexOf('=') + 1) });

/** A program whose parent has ended; its id. */
function orphan(mark: string): number {
  const { stdout } = spawnSync('sh', ['-c', 'sleep 600 >&- 2>&- & echo $!'], {
    env: environment(mark),
    encoding: 'utf8',
  });
  return Number(stdout);
}

const runs = (id: number) => existsSync(`/proc/${id}`);
const ended = (id: number) =>
  eventually(
    async () => runs(id),
    (does) => (does ? undefined : true),
  );

test('a program is ended when its parent has ended, and it is of this run', async () => {
  const [mine, others] = [marker(), marker()];
  const [left, foreign] = [orphan(mine), orphan(others)];
  const child = spawn('sleep', ['600'], { env: environment(mine) });
  expect(endOrphans(mine)).toEqual([left]);
  await ended(left);
  expect([runs(foreign), runs(child.pid ?? 0)]).toEqual([true, true]);
  child.kill();
  expect(endOrphans(others)).toEqual([foreign]);
});

test('while the work goes on and when it fails', async () => {
  const mark = marker();
  const first = orphan(mark);
  const work = Promise.withResolvers<never>();
  const ending = endingOrphans(mark, work.promise);
  await ended(first);
  const second = orphan(mark);
  work.reject(new Error('the run failed'));
  await expect(ending).rejects.toThrow('the run failed');
  await ended(second);
});
