// Threads that answer queries leave the processor to the event loop: seen in the priorities of the hub's threads.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startHubProcess } from '../../../support/hub-process.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const isLinux = process.platform === 'linux';
if (!isLinux) {
  process.stdout.write('not run: only Linux has priorities of threads\n');
}

/** The nice value of each thread (proc_pid_stat(5), field 19). */
function priorities(pid: number): Map<number, number> {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return new Map(
    threads.map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return [thread, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
    }),
  );
}

const mostNice = 19;

/** How the hub is started, and the nice value given to it by nice(1). */
const starts = [
  ['alone', undefined],
  ['by nice, as a unit with Nice= is', '3'],
  ['by nice, with little left below it', '17'],
] as const;

test.runIf(isLinux).each(starts)(
  'started %s: the threads of queries are less urgent than the event loop, no other is',
  async (_how, nice) => {
    using folder = temporaryFolder();
    const under = nice === undefined ? {} : { under: { command: 'nice', args: ['-n', nice, process.execPath] } };
    await using hub = await startHubProcess({ dataDir: folder.path, adminToken: 'a'.repeat(48), ...under });
    const { pid } = hub.program;
    const loop = priorities(pid).get(pid) as number;
    const ofQueries = Math.min(mostNice, loop + 5);
    const lower = () => [...priorities(pid).values()].filter((priority) => priority > loop);
    // Those that readiness has asked; where the tests themselves run at 19, nothing is lower.
    const expected = ofQueries > loop ? [ofQueries, ofQueries] : [];
    expect(lower()).toEqual(expected);
    await hub.as.admin.connections.list({ query: { limit: '1' } });
    await hub.as.admin.connections.summary({ query: {} });
    expect(lower()).toEqual(expected);
    expect(priorities(pid).get(pid)).toBe(loop);
  },
);
