// `npm run soak` as CI starts it: a whole system on simulators under faults; Ctrl-C, and a hub that ends by itself.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawPlan } from '../soak/plan.ts';
import { root, runProgram, startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const program = ['test/soak/main.ts'];

verifies('card.used-by.ci-without-hardware', 'CI ends with a soak, and a minute of one holds', async () => {
  const ci = readFileSync(path.join(root, '.ci/run'), 'utf8');
  const commands = ci.split('\n').filter((line) => line.startsWith('npm '));
  const soak = commands.at(-1) ?? '';
  expect(commands.slice(0, -1)).toEqual(expect.arrayContaining(['npm run check', 'npm test', 'npm run test:e2e']));
  const [, minutes, seed] = /^npm run soak -- --minutes (\d+) --seed (\d+)$/.exec(soak) ?? [];
  const kinds = new Set(drawPlan({ seed: Number(seed), minutes: Number(minutes), only: null }).map(({ kind }) => kind));
  expect([...kinds]).toEqual(
    expect.arrayContaining(['reboot', 'hang', 'kill-9', 'restore', 'disk-full', 'clock-jump']),
  );

  const { code, stdout, stderr } = await runProgram([...program, '--minutes', '1', '--seed', '7']);
  expect(stdout, stderr).toMatch(/^soak of seed 7: 01:0\d minutes, 5 of 5 faults, 2 lives of the hub$/m);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of ['agent-batches', 'answered-writes', 'nothing-twice', 'health', 'status', 'alive']) {
    expect(Number(new RegExp(`^${name} +(\\d+) `, 'm').exec(stdout)?.[1]), name).toBeGreaterThan(5);
  }
  expect(stdout).toMatch(/^00:3\d {2}\d faults, \d+ checks, \d+ batches acknowledged; under way: /m);
});

describe('a soak that does not run to its end', () => {
  test('Ctrl-C prints the table so far, ends with 0 and leaves no process', async () => {
    await using soak = startProgram([...program, '--minutes', '60'], { ownGroup: true });
    await soak.printed(/^the world stands/m);
    expect(processesOfGroup(soak.pid).length).toBeGreaterThan(4);
    soak.killGroup('SIGINT');
    expect(await soak.ended, soak.stdout() + soak.stderr()).toEqual({ code: 0, signal: null });
    expect(soak.stdout()).toMatch(/^soak of seed 1: 00:\d\d minutes, 0 of \d+ faults, 1 lives of the hub$/m);
    expect(processesOfGroup(soak.pid)).toEqual([]);
  });

  test('a hub that somebody else kills is a broken invariant: exit code 1, its name, second, seed and faults', async () => {
    await using soak = startProgram([...program, '--minutes', '5', '--seed', '3', '--only', 'kicked'], {
      ownGroup: true,
    });
    await soak.printed(/^the world stands/m);
    const [hub] = processesOfGroup(soak.pid).filter(({ words }) => words.includes('test/soak/hub-program.ts'));
    process.kill(hub?.pid ?? 0, 'SIGKILL');
    expect(await soak.ended).toEqual({ code: 1, signal: null });
    expect(soak.stdout()).toMatch(/^BROKEN in second \d+ \(00:\d\d\): alive: the hub ended by itself with SIGKILL/m);
    expect(soak.stdout()).toMatch(/^faults under way: none$/m);
    expect(soak.stdout()).toMatch(/^the same schedule again: npm run soak -- --minutes 5 --seed 3 --only kicked$/m);
    expect(processesOfGroup(soak.pid)).toEqual([]);
  });

  test('a schedule can be asked for without a run, and a wrong option is one sentence', async () => {
    const { code, stdout } = await runProgram([...program, '--plan', '--seed', '1']);
    expect({ code, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: expect.any(Number) });
    expect(Number(/^(\d+) faults: /m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(200);
    const wrong = await runProgram([...program, '--only', 'flood']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^soak: --only must be reboot, hang, .*flood/);
  });
});

/** Processes of a group, with the words they were started with. */
function processesOfGroup(group: number): { pid: number; words: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const of = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return of === group ? [{ pid: Number(name), words }] : [];
      } catch {
        // It has ended since the folder was read.
        return [];
      }
    });
}
