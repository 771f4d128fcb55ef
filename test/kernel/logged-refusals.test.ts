// What a log says of a request that was refused: an expected refusal is no error, and what broke is one with its stack.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { mount, startServer } from '#kernel/http/serve.ts';
import type { Log } from '#kernel/log.ts';
import { raw } from '../support/actors.ts';

test('a 503 that the hub means is a warning without a stack; a failure with a cause is an error with it', async () => {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const level = (name: string) => (fields: object, message: string) =>
    void lines.push({ level: name, fields: fields as Record<string, unknown>, message });
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: level('warn'),
    error: level('error'),
  } as unknown as Log;
  const route = { method: 'GET', access: null, summary: '', reply: { 200: z.object({}) } } as const;
  const routes = { starting: { ...route, path: '/starting' }, broken: { ...route, path: '/broken' } } as const;
  await using served = await startServer({
    mounted: [
      mount(routes, {
        starting: async () => {
          throw new AppError('auth_not_initialised', 'the hub is still starting: try again in a moment');
        },
        broken: async () => {
          throw new Error('a bug');
        },
      }),
    ],
    authorize: async () => undefined,
    log,
    host: '127.0.0.1',
    port: 0,
  });
  expect((await raw(served.url, { method: 'GET', path: '/starting' })).status).toBe(503);
  expect(lines[0]).toMatchObject({ level: 'warn', fields: { path: '/starting', code: 'auth_not_initialised' } });
  expect(lines.map(({ level: at, fields }) => [at, fields.err])).toEqual(lines.map(() => ['warn', undefined]));
  expect((await raw(served.url, { method: 'GET', path: '/broken' })).status).toBe(500);
  const broken = lines.find(({ fields }) => fields.path === '/broken');
  expect(broken).toMatchObject({ level: 'error', fields: { err: new Error('a bug') } });
});
