// The end of the hub: answers under way are sent, and nobody is waited for after that.
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { stopwatch } from '#kernel/time/clock.ts';
import { createBrowser } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';

test('a stop sends the answer under way, and closes a connection that its client would keep', async () => {
  const lab = await startLab();
  const wrong = createBrowser(lab.url).login('not the password');
  expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
  // The clock stands still: only closed connections end the wait, not the deadline.
  await lab[Symbol.asyncDispose]();
  expect((await wrong).status).toBe(401);
});

test('a stop refuses a login that waits for the lock of another program', async () => {
  const lab = await startLab();
  const other = new Database(path.join(lab.dataDir, 'monitor.db'));
  other.exec('BEGIN IMMEDIATE');
  const login = createBrowser(lab.url).login(lab.password);
  expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
  const elapsed = stopwatch();
  const stopped = lab[Symbol.asyncDispose]();
  expect(await login).toMatchObject({ status: 503, body: { code: 'database_busy' } });
  // One second; five without the stop.
  expect(elapsed()).toBeLessThan(4000);
  other.close();
  await stopped;
});

test('a request that comes during the stop is refused like any other, and its connection closed', async () => {
  const lab = await startLab();
  const socket = connect({ host: lab.url.hostname, port: Number(lab.url.port) });
  await once(socket, 'connect');
  const body = JSON.stringify({ password: 'not the password' });
  const head = `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
  expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
  const stopped = lab[Symbol.asyncDispose]();
  socket.write('GET /api/auth/status HTTP/1.1\r\nHost: x\r\n\r\n');
  const [first = '', second = ''] = (await text(socket)).split(/(?<=\})(?=HTTP\/1\.1)/);
  expect(first).toMatch(/^HTTP\/1\.1 401 /);
  expect(second).toMatch(/^HTTP\/1\.1 503 /);
  expect(second).toContain('"code":"not_ready"');
  expect(second).toMatch(/x-request-id: /i);
  expect(second).toMatch(/^connection: close\r$/im);
  expect(second).toMatch(/^retry-after: 5\r$/im);
  await stopped;
});
