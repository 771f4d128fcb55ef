// Threads that answer queries leave the processor to the event loop: seen in the priorities of the hub's threads.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startHubProcess } from '../../support/hub-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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

test.runIf(isLinux)('the threads of queries are less urgent than the event loop, and no other thread is', async () => {
  using folder = temporaryFolder();
  await using hub = await startHubProcess({ dataDir: folder.path, adminToken: 'a'.repeat(48) });
  const { pid } = hub.program;
  const loop = priorities(pid).get(pid) as number;
  const lower = () => [...priorities(pid).values()].filter((priority) => priority > loop);
  // Those that readiness has asked.
  expect(lower()).toEqual([loop + 5, loop + 5]);
  await hub.as.admin.connections.list({ query: { limit: '1' } });
  await hub.as.admin.connections.summary({ query: {} });
  expect(lower()).toEqual([loop + 5, loop + 5]);
  expect(priorities(pid).get(pid)).toBe(loop);
});
