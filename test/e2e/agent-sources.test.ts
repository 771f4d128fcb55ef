// The watch of the Agent over real connections: all sources, polling alone with and without ss, and what a stop leaves.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type SeenConnection, tupleKey } from '#agent/sources/connection.ts';
import { startWatch } from '#agent/sources/watch.ts';
import { systemClock } from '#kernel/clock.ts';
import { createLog } from '#kernel/log.ts';
import { knock, knockerName, startListener } from '../support/agent-real.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { tracefs, withTracefs } from '../support/tracefs.ts';

const count = 300;
type WatchOptions = Parameters<typeof startWatch>[0];

/** Watches a program that opens connections of `lifeMs` each; what was seen of them, as one for each. */
async function watched(options: Partial<WatchOptions>, opened = count, lifeMs = 5) {
  using folder = temporaryFolder();
  await using listener = await startListener();
  const shared = { clock: systemClock, log: createLog('agent', 'silent'), includeLoopback: true };
  await using watch = await startWatch({ ...shared, ...options });
  const { pid, ports } = await knock(folder.path, '127.0.0.1', listener.port, opened, lifeMs);
  await systemClock.sleep(5000);
  const seen = new Map<string, SeenConnection>();
  for (const one of watch.take().filter(({ remotePort }) => remotePort === listener.port)) {
    seen.set(tupleKey(one), one);
  }
  return { seen: [...seen.values()], pid, ports, counters: watch.counters(), sources: watch.sources() };
}

const named = (seen: readonly SeenConnection[], pid: number) =>
  seen.filter(({ processName, processID }) => processName === knockerName && processID === pid);

withTracefs(() => {
  test(`with events nearly all of ${count} connections of 5 ms have their program, start and bytes`, async () => {
    using tracing = tracefs();
    const { seen, pid, ports, counters } = await watched({ tracefsDir: tracing.path });
    const right = named(seen, pid).filter(({ confidence }) => confidence === 'exact');
    console.log(`with events: ${right.length} of ${count} with their program; ${JSON.stringify(counters)}`);
    expect(right.length).toBeGreaterThanOrEqual(count - 5);
    expect(new Set(right.map(({ localPort }) => localPort)).size).toBeGreaterThanOrEqual(new Set(ports).size - 5);
    expect(readdirSync(`${tracing.path}/instances`).filter((name) => name.includes(String(process.pid)))).toEqual([]);
  });

  test('a watch that ends leaves no instance and no child', async () => {
    using tracing = tracefs();
    const before = readdirSync(`${tracing.path}/instances`);
    const watch = await startWatch({
      ...{ clock: systemClock, log: createLog('agent', 'silent'), includeLoopback: false },
      tracefsDir: tracing.path,
    });
    expect(readdirSync(`${tracing.path}/instances`).length).toBe(before.length + 1);
    const [events] = watch.sources();
    expect(events).toMatchObject({ name: 'connect-events', active: true });
    await watch[Symbol.asyncDispose]();
    expect(readdirSync(`${tracing.path}/instances`)).toEqual(before);
  });
});

test('by polling alone most connections of 5 ms are missed; with ss the missed are counted, and their ends reported', async () => {
  const alone = await watched({ allow: 'tables', pollMs: 1000 });
  const withEnds = await watched({ tracefsDir: '/nowhere', pollMs: 1000 });
  const share = ({ seen, pid }: typeof alone) => named(seen, pid).length / count;
  console.log(
    `polling every second: ${alone.seen.length} seen, ${named(alone.seen, alone.pid).length} with their program, ` +
      `${alone.counters.withoutProcess} without a process; with ss: ${withEnds.seen.length} seen, ` +
      `${named(withEnds.seen, withEnds.pid).length} with it, ${withEnds.counters.missedByPolling} missed by polling`,
  );
  expect(share(alone)).toBeLessThan(0.5);
  expect(alone.sources.filter(({ active }) => active).map(({ name }) => name)).toEqual(['socket-tables']);
  const { missedByPolling, withoutProcess } = withEnds.counters;
  expect(missedByPolling + withoutProcess + named(withEnds.seen, withEnds.pid).length).toBeGreaterThanOrEqual(
    count - 5,
  );
  expect(withEnds.seen.length).toBeGreaterThanOrEqual(count - 5);
  for (const { active, reason, cannotSee } of withEnds.sources) {
    expect([active, reason === null, cannotSee.length > 0]).toEqual([active, active, true]);
  }
});

test('connections that live longer than the interval have their program, also by polling alone', async () => {
  const { seen, pid } = await watched({ allow: 'tables', pollMs: 1000 }, 3, 2500);
  expect(named(seen, pid)).toHaveLength(3);
});
