// The watch on this machine: what it sees of real sockets, what it says of its sources, what is left of it at the end.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { SeenConnection } from '#agent/sources/connection.ts';
import { openTraceInstance } from '#agent/sources/trace-instance.ts';
import { startWatch, type WatchOptions } from '#agent/sources/watch.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { tracefs, withTracefs } from '../support/tracefs.ts';

const nowhere = '/nowhere';
const log = createLog('test', 'silent');
const watchHere = (options: Partial<WatchOptions>) =>
  startWatch({ clock: systemClock, log, includeLoopback: true, pollMs: 100, tracefsDir: nowhere, ...options });

/** Programs that this process has started and that have not ended. */
function children(): string[] {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')),
  );
}

/** Watching children of this watch: other tests of the process may have some. */
const ours = () => children().filter((command) => /^(?:cat|ss|stdbuf|conntrack) /.test(command));

async function listen() {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

test('an open connection of this process by the tables alone, once, with its process; then its end', async () => {
  using server = await listen();
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  await using watch = await watchHere({ allow: 'tables' });
  const taken = () => watch.take().filter(({ remotePort }) => remotePort === server.port);
  const first = taken();
  expect(first).toHaveLength(1);
  expect(first[0]).toMatchObject({
    ...{ networkProtocol: 'tcp', localAddress: '127.0.0.1', localPort: socket.localPort, remoteAddress: '127.0.0.1' },
    ...{ processID: process.pid, collector: 'socket-table', confidence: 'sampled', bytesIn: null, bytesOut: null },
  });
  expect(first[0]?.processName).toMatch(/\(node\)$|^node$/);
  await expect.poll(taken).toMatchObject([{ firstObservedAt: first[0]?.firstObservedAt }]);
  socket.destroy();
  const endAt = systemClock.now();
  await expect.poll(() => taken().some(({ lastObservedAt }) => lastObservedAt > endAt)).toBe(true);
  await expect.poll(() => taken().length).toBe(0);
  expect(watch.counters().polls).toBeGreaterThan(1);
});

test('a connected UDP socket; without loopback nothing of it', async () => {
  const [server, client] = [createSocket('udp4'), createSocket('udp4')];
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  client.connect(server.address().port, '127.0.0.1');
  await once(client, 'connect');
  await using watch = await watchHere({ allow: 'tables' });
  await using without = await watchHere({ allow: 'tables', includeLoopback: false });
  const isIt = ({ remotePort }: SeenConnection) => remotePort === server.address().port;
  expect(watch.take().filter(isIt)).toMatchObject([{ networkProtocol: 'udp', processID: process.pid }]);
  expect(without.take().filter(isIt)).toEqual([]);
  client.close();
  server.close();
});

test('no source at all is one sentence, and leaves nothing', async () => {
  await expect(watchHere({ allow: 'tables', procDir: nowhere })).rejects.toThrow(
    /^no source of connections can be used on this machine \(connect-events: .*no socket table in \/nowhere/,
  );
  expect(ours()).toEqual([]);
});

test('what is missing is named, with what to do', async () => {
  await using watch = await watchHere({});
  const [events] = watch.sources();
  expect(events).toMatchObject({ name: 'connect-events', active: false });
  expect(events?.reason).toMatch(/tracefs is not mounted at \/nowhere.*mount -t tracefs/);
  expect(events?.cannotSee).not.toEqual([]);
  expect(watch.sources().map(({ name }) => name)).toEqual(['connect-events', 'socket-tables', 'tcp-ends', 'conntrack']);
});

test('a kernel without the event, a container', () => {
  using folder = temporaryFolder();
  const open = (procDir: string) => openTraceInstance({ tracefsDir: folder.path, procDir, includeLoopback: true });
  mkdirSync(path.join(folder.path, 'instances'));
  expect(open('/proc')).toMatch(/no event sock\/inet_sock_set_state.*4\.16/);
  mkdirSync(path.join(folder.path, 'events/sock/inet_sock_set_state'), { recursive: true });
  expect(open(nowhere)).toMatch(/container.*PID namespace of the host/);
  expect(readdirSync(path.join(folder.path, 'instances'))).toEqual([]);
});

withPrograms('iproute2', ['ss'], () => {
  test('exact bytes of a connection from ss, at its end', async () => {
    using server = await listen();
    await using watch = await watchHere({});
    const socket = connect(server.port, '127.0.0.1');
    socket.write('x'.repeat(100_000));
    let received = 0;
    for await (const part of socket) {
      received += (part as Buffer).length;
      if (received === 100_000) {
        break;
      }
    }
    const all: SeenConnection[] = [];
    const sum = (name: 'bytesIn' | 'bytesOut') => all.reduce((bytes, one) => bytes + (one[name] ?? 0n), 0n);
    await expect
      .poll(() => {
        all.push(...watch.take().filter(({ remotePort }) => remotePort === server.port));
        return [sum('bytesIn'), sum('bytesOut')].map((bytes) => bytes / 10n);
      })
      .toEqual([10_000n, 10_000n]);
  });

  test('at the end no child is left, also when several watches end at once', async () => {
    const watches = await Promise.all([watchHere({}), watchHere({})]);
    expect(ours().length).toBeGreaterThanOrEqual(2);
    await Promise.all(watches.map((watch) => watch[Symbol.asyncDispose]()));
    expect(ours()).toEqual([]);
  });
});

withTracefs(() => {
  test('an instance of its own, gone at the end; one of a process that was killed is removed at the start', async () => {
    using tracing = tracefs();
    const instances = () =>
      readdirSync(`${tracing.path}/instances`).filter((name) => name.startsWith('gatehouse-agent-'));
    const stale = `gatehouse-agent-${2 ** 22 + 7}-1`;
    const others = instances();
    mkdirSync(`${tracing.path}/instances/${stale}`);
    await using watch = await watchHere({ tracefsDir: tracing.path, includeLoopback: false });
    expect(watch.sources()[0]).toMatchObject({ active: true, reason: null });
    expect(instances()).not.toContain(stale);
    const mine = instances().filter(
      (name) => name.startsWith(`gatehouse-agent-${process.pid}-`) && !others.includes(name),
    );
    expect(mine).toHaveLength(1);
    const filter = readFileSync(`${tracing.path}/instances/${mine[0]}/events/sock/inet_sock_set_state/filter`, 'utf8');
    expect(filter).toMatch(/^protocol==6 .*daddr!=/);
    await watch[Symbol.asyncDispose]();
    expect(instances().filter((name) => mine.includes(name))).toEqual([]);
    expect(ours().filter((command) => command.includes('trace_pipe'))).toEqual([]);
  });

  test('an instance that was prepared for a service is left to it by a watch that may make its own', async () => {
    using tracing = tracefs();
    const prepared = `${tracing.path}/instances/gatehouse-agent`;
    // An Agent may be installed on this machine.
    const isOurs = !existsSync(prepared);
    if (isOurs) {
      mkdirSync(prepared);
    }
    const settings = () =>
      ['buffer_size_kb', 'events/sock/inet_sock_set_state/enable', 'events/sock/inet_sock_set_state/filter'].map(
        (name) => readFileSync(`${prepared}/${name}`, 'utf8'),
      );
    try {
      const before = settings();
      await using watch = await watchHere({ tracefsDir: tracing.path });
      expect(watch.sources()[0]).toMatchObject({ active: true, reason: null });
      expect(settings()).toEqual(before);
    } finally {
      if (isOurs) {
        rmdirSync(prepared);
      }
    }
  });
});
