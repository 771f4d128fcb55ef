// The watch of the Agent over real connections: all sources, polling alone with and without ss, and what a stop leaves.
import { chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type SeenConnection, tupleKey } from '#agent/sources/connection.ts';
import { startWatch } from '#agent/sources/watch.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { knock, knockerName, printMissing, startListener } from '../support/agent-real.ts';
import { root, startProgram } from '../support/program.ts';
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
    const rightPorts = new Set(right.map(({ localPort }) => localPort));
    printMissing(ports, rightPorts, (port) => seen.filter(({ localPort }) => localPort === port));
    // Connections of the whole machine share the kernel's buffer: what it had no room for is said, and no more is missing.
    expect(rightPorts.size).toBeGreaterThanOrEqual(new Set(ports).size - 5 - counters.lostEvents);
    expect(rightPorts.size).toBeGreaterThan(count / 2);
    expect(readdirSync(`${tracing.path}/instances`).filter((name) => name.includes(String(process.pid)))).toEqual([]);
  });

  test('a watch that ends leaves no instance and no child', async () => {
    using tracing = tracefs();
    const ours = `gatehouse-agent-${process.pid}-`;
    const instances = () => readdirSync(`${tracing.path}/instances`).filter((name) => name.startsWith(ours));
    const before = instances();
    const watch = await startWatch({
      ...{ clock: systemClock, log: createLog('agent', 'silent'), includeLoopback: false },
      tracefsDir: tracing.path,
    });
    expect(instances().length).toBe(before.length + 1);
    const [events] = watch.sources();
    expect(events).toMatchObject({ name: 'connect-events', active: true });
    await watch[Symbol.asyncDispose]();
    expect(instances()).toEqual(before);
  });

  test('a user with two capabilities gets events from the instance that the unit prepares', async () => {
    const [events, seen] = await runAsService(watching);
    expect(JSON.parse(events ?? '')).toMatchObject({ name: 'connect-events', active: true, reason: null });
    expect(Number(seen)).toBe(20);
  });

  test('of two Agents at one prepared instance the second says so, and neither its start nor its end blinds the first', async () => {
    const [events, seen, second] = await runAsService(watching.replace('// second', watchingTwice));
    expect(JSON.parse(events ?? '')).toMatchObject({ active: true, reason: null });
    expect(Number(seen)).toBe(20);
    expect(JSON.parse(second ?? '')).toEqual({
      name: 'connect-events',
      active: false,
      reason: expect.stringMatching(
        /^another program reads the events of \S+\/gatehouse-agent already: run one Agent on this machine, or this one as root/,
      ),
      cannotSee: [expect.stringMatching(/between two polls/)],
    });
  });
});

/** Runs a script as the unit runs the Agent; the lines that it prints. */
async function runAsService(text: string): Promise<string[]> {
  using folder = temporaryFolder();
  const unit = readFileSync(path.join(root, 'packaging/gatehouse-agent.service'), 'utf8');
  const [, prepare = ''] = /^ExecStartPre=-\+\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];
  expect(prepare).toContain('chown');
  const script = path.join(folder.path, 'watch.ts');
  writeFileSync(script, text);
  chownSync(folder.path, nobody, nobody);
  const capabilities = '+dac_read_search,+sys_ptrace';
  const commands = [
    // A tracefs that is mounted here already, as by perf, cannot be mounted over.
    'mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing',
    prepare.replaceAll('$$', '$').replaceAll('%%', '%'),
    `cd ${root}`,
    `setpriv --reuid ${nobody} --regid ${nobody} --clear-groups --inh-caps ${capabilities} --ambient-caps ${capabilities} ` +
      `${process.execPath} ${script}`,
    'rmdir /sys/kernel/tracing/instances/gatehouse-agent',
  ];
  await using program = startProgram(['--mount', 'sh', '-ec', commands.join('\n')], {
    command: 'unshare',
    env: { STATE_DIRECTORY: folder.path },
  });
  expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
  return program.stdout().trim().split('\n');
}

/** Watches while the process itself connects to a listener of its own. */
const watching = `
import net from 'node:net';
import { startWatch } from '${root}/src/agent/sources/watch.ts';
import { systemClock } from '${root}/src/kernel/time/clock.ts';
import { createLog } from '${root}/src/kernel/process/log.ts';
const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
{
  await using watch = await startWatch({ clock: systemClock, log: createLog('agent', 'warn'), includeLoopback: true });
  const later = [];
  // second
  for (let done = 0; done < 20; done += 1) {
    await new Promise((resolve) => net.connect(server.address().port, '127.0.0.1').resume().once('close', resolve));
  }
  await systemClock.sleep(4000);
  console.log(JSON.stringify(watch.sources()[0]));
  const exact = watch.take().filter((one) => one.processID === process.pid && one.confidence === 'exact');
  console.log(exact.filter((one) => one.remotePort === server.address().port).length);
  later.forEach((line) => console.log(line));
}
server.close();
`;
const watchingTwice = `
  {
    await using second = await startWatch({ clock: systemClock, log: createLog('agent', 'warn'), includeLoopback: false });
    await systemClock.sleep(500);
    later.push(JSON.stringify(second.sources()[0]));
  }
`;
const nobody = 65_534;

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
