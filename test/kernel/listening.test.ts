// Servers on a port: where one listens, what is said when it cannot, and how it is closed.
import crypto from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listenFailure } from '#kernel/http/listen-failure.ts';
import { close, freePort, listen } from '#kernel/http/listening.ts';

const portOf = (host: string) => Number(host.slice(host.lastIndexOf(':') + 1));

test('an address of IPv6 is written in brackets', async () => {
  const servers = [createServer(), createServer()];
  expect(await listen(servers[0] as never)).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(await listen(servers[1] as never, '::1')).toMatch(/^\[::1\]:\d+$/);
  await Promise.all(servers.map((server) => close(server)));
});

test('who is connected is closed with the server, by HTTP or by a list', async () => {
  const web = createHttpServer();
  const plain = createServer();
  const sockets = new Set<Socket>();
  plain.on('connection', (socket) => void sockets.add(socket));
  const clients = [];
  for (const server of [web, plain]) {
    const port = portOf(await listen(server));
    const client = connect(port, '127.0.0.1');
    clients.push(once(client.resume(), 'close'));
    await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  }
  await Promise.all([close(web), close(plain, sockets)]);
  await Promise.all(clients);
  expect([web.listening, plain.listening]).toEqual([false, false]);
});

test('a free port is asked for again when it was taken meanwhile; another failure ends the asking', async () => {
  const taken = createServer();
  const port = portOf(await listen(taken));
  const { randomInt } = crypto;
  const give = (...ports: number[]) => {
    crypto.randomInt = (() => ports.shift() ?? randomInt(20_000, 32_000)) as unknown as typeof randomInt;
    syncBuiltinESMExports();
  };
  try {
    give(port);
    expect(await freePort()).not.toBe(port);
    give(65_536);
    await expect(freePort()).rejects.toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' });
  } finally {
    crypto.randomInt = randomInt;
    syncBuiltinESMExports();
    await close(taken);
  }
});

const failure = async (host: string, port = 0) => listen(createServer(), host, port).catch((error: unknown) => error);

test('an address that cannot be listened on is a sentence with the setting to change', async () => {
  const taken = createServer();
  const port = portOf(await listen(taken));
  const inUse = await failure('127.0.0.1', port);
  await close(taken);
  expect(listenFailure(inUse)).toBe(
    `port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another one with --port`,
  );
  expect(listenFailure(inUse, { port: 'A_PORT', host: 'A_HOST' })).toMatch(/choose another one with A_PORT$/);
  const foreign = await failure('192.0.2.1');
  expect(listenFailure(foreign)).toBe('192.0.2.1 is no address of this machine: choose another one with --host');
  expect(listenFailure(foreign, { port: 'A_PORT', host: 'A_HOST' })).toMatch(/choose another one with A_HOST$/);
});

test('a port for administrators is said, and every other error is none of these', () => {
  const error = (fields: object) => Object.assign(new Error('refused'), fields);
  const port = { address: '127.0.0.1', port: 80 };
  expect(listenFailure(error({ syscall: 'listen', code: 'EACCES', ...port }))).toBe(
    'port 80 of 127.0.0.1 may not be used by this user: choose one above 1023',
  );
  const unknown = Object.assign(new Error('getaddrinfo'), {
    syscall: 'getaddrinfo',
    code: 'ENOTFOUND',
    hostname: 'hub.lan',
  });
  expect(listenFailure(unknown)).toBe(
    'the host name hub.lan to listen on is not known: choose an address of this machine with --host',
  );
  expect(listenFailure(error({ syscall: 'listen', code: 'EMFILE', ...port }))).toBeNull();
  expect(listenFailure(error({ syscall: 'connect', code: 'EACCES', ...port }))).toBeNull();
  expect(listenFailure('refused')).toBeNull();
});
