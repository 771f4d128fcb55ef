// A client that left before its handler was called: the handler gets a signal that is aborted already.
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mount, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/process/log.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';

test('the signal of a call is aborted when its client left during authorization', async () => {
  const began = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<boolean>();
  const routes = {
    slow: { method: 'GET', path: '/slow', access: null, summary: '', reply: { 200: z.object({}) } },
  } as const;
  await using served = await startServer({
    mounted: [
      mount(routes, {
        slow: async ({ signal }) => {
          seen.resolve(signal.aborted);
          return {};
        },
      }),
    ],
    authorize: async () => {
      began.resolve();
      await decided.promise;
    },
    log: createLog('test', 'silent'),
    host: '127.0.0.1',
    port: 0,
  });
  const closed = Promise.withResolvers<void>();
  served.app.server.once('connection', (wire: Socket) => wire.once('close', () => closed.resolve()));
  const socket = connect(Number(served.url.port), '127.0.0.1');
  socket.on('error', () => undefined).write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await began.promise;
  socket.resetAndDestroy();
  await closed.promise;
  await yieldToEventLoop();
  decided.resolve();
  expect(await seen.promise).toBe(true);
});

test('a handler that ends because its client left is no failure of the server', async () => {
  const began = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const lines: string[] = [];
  const line = (level: string) => (_fields: unknown, message: string) => void lines.push(`${level}: ${message}`);
  const quiet = createLog('test', 'silent');
  const routes = {
    slow: { method: 'GET', path: '/slow', access: null, summary: '', reply: { 200: z.object({}) } },
  } as const;
  await using served = await startServer({
    mounted: [
      mount(routes, {
        async slow({ signal }) {
          began.resolve();
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          return {};
        },
      }),
    ],
    authorize: () => undefined,
    log: { ...quiet, warn: line('warn'), error: line('error') } as typeof quiet,
    host: '127.0.0.1',
    port: 0,
  });
  served.app.server.once('request', (_request, response) => response.once('close', () => ended.resolve()));
  const socket = connect(Number(served.url.port), '127.0.0.1');
  socket.on('error', () => undefined).write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await began.promise;
  socket.resetAndDestroy();
  await ended.promise;
  for (let turn = 0; turn < 10; turn += 1) {
    await yieldToEventLoop();
  }
  expect(lines).toEqual([]);
});
