// A spool whose program is killed at a system call, or at any moment: what it accepted is there, was sent, or was said to be gone.
import { expect, test } from 'vitest';
import { openSpool } from '#agent/delivery/spool.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { canTrace, runWithFault, type SystemCallFault } from '../../support/backup-faults.ts';
import { startProgram } from '../../support/program.ts';
import { budget, runs } from '../../support/property-runs.ts';
import { withPrograms } from '../../support/real-programs.ts';
import { batchNames, type SpoolFolder, spoolFolder } from '../../support/spool-lab.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const maxBytes = 8000;
const rounds = 24;
const busy = (at: SpoolFolder) => ['test/support/spool-program.ts', 'busy', at.path, String(maxBytes)];

interface Line {
  accepted?: string;
  sent?: string;
  batch?: string;
}

/** Each batch that the program told of is in a folder or was told to be gone; a new start sends all that waits. */
function requireEach(at: SpoolFolder, printed: string): { accepted: number; gone: number } {
  const lines = printed
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);
  const gone = new Set(lines.flatMap(({ sent, batch }) => sent ?? batch ?? []));
  const accepted = lines.flatMap((line) => line.accepted ?? []);
  const spool = openSpool(at.files, maxBytes, createLog('agent', 'silent'));
  const parked = batchNames(at.files.parked);
  const left = new Set<string>();
  for (let head = spool.head(); head !== null; head = spool.head()) {
    left.add(head.batchId);
    spool.delivered();
  }
  expect(spool.facts()).toMatchObject({ batches: 0, droppedBatches: 0 });
  expect(accepted.filter((id) => !left.has(id) && !parked.has(id) && !gone.has(id))).toEqual([]);
  return { accepted: accepted.length, gone: gone.size };
}

const lives = runs(4, 60);
test(`${budget(4, 60, 'kills')} at random moments lose nothing in silence`, async () => {
  let accepted = 0;
  for (let life = 0; life < lives; life += 1) {
    using at = spoolFolder();
    await using program = startProgram(busy(at));
    await program.printed(/accepted/);
    await systemClock.sleep(Math.random() * 150);
    program.kill('SIGKILL');
    await program.ended;
    accepted += requireEach(at, `${program.stdout()}\n${program.stderr()}`).accepted;
  }
  expect(accepted).toBeGreaterThan(lives);
});

withPrograms('strace', ['strace'], () => {
  const faults: Pick<SystemCallFault, 'call' | 'fault'>[] = [
    { call: 'rename', fault: 'kill' },
    { call: 'unlink,unlinkat,rmdir', fault: 'kill' },
    { call: 'fsync', fault: 'kill' },
  ];
  test.each(faults)('a $fault at every $call loses nothing in silence', ({ call, fault }) => {
    expect(canTrace()).toBe(true);
    using compiled = temporaryFolder();
    const step = runs(7, 1);
    let ends = 0;
    for (let at = 1; ; at += step) {
      using folder = spoolFolder();
      const words = [...busy(folder), String(rounds)];
      const { isOver, said } = runWithFault(words, { call, at, fault }, compiled.path);
      const { accepted, gone } = requireEach(folder, said);
      if (isOver) {
        // Without a fault it accepts all, and its bounds are reached.
        expect({ accepted, isBounded: gone > 5 }).toEqual({ accepted: rounds, isBounded: true });
        break;
      }
      ends += 1;
    }
    expect(ends).toBeGreaterThan(2);
  });
});
