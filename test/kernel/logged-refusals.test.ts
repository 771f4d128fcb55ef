// What a log says of a request that was refused: an expected refusal is no error, and what broke is one with its stack.
import { expect, test } from 'vitest';
import '#contract/errors.ts';
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { mount, startServer } from '#kernel/http/serve.ts';
import type { Log } from '#kernel/process/log.ts';
import { raw } from '../support/actors.ts';

test('a refusal that is meant is a warning without a stack; what broke in the hub is an error with it', async () => {
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
  const routes = {
    starting: { ...route, path: '/starting' },
    refused: { ...route, path: '/refused' },
    unsaved: { ...route, path: '/unsaved' },
    broken: { ...route, path: '/broken' },
  } as const;
  await using served = await startServer({
    mounted: [
      mount(routes, {
        starting: async () => {
          throw new AppError('auth_not_initialised', 'the hub is still starting: try again in a moment');
        },
        refused: async () => {
          const cause = new Error('All configured authentication methods failed');
          throw new AppError('router_detect_failed', 'the router refused the password', { cause });
        },
        unsaved: async () => {
          throw new AppError('save_failed', 'the settings could not be saved', { cause: new Error('EACCES') });
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
  expect(lines[0]?.fields).not.toHaveProperty('cause');
  expect(lines.map(({ level: at, fields }) => [at, fields.err])).toEqual(lines.map(() => ['warn', undefined]));
  lines.length = 0;
  expect((await raw(served.url, { method: 'GET', path: '/refused' })).status).toBe(502);
  expect(lines.map(({ level: at, fields }) => [at, fields.err])).toEqual(lines.map(() => ['warn', undefined]));
  expect(lines[0]).toMatchObject({
    fields: { code: 'router_detect_failed', cause: 'All configured authentication methods failed' },
    message: 'the router refused the password',
  });
  expect((await raw(served.url, { method: 'GET', path: '/unsaved' })).status).toBe(500);
  expect(lines.find(({ fields }) => fields.path === '/unsaved')).toMatchObject({
    ...{ level: 'error', fields: { err: expect.any(AppError) } },
  });
  expect((await raw(served.url, { method: 'GET', path: '/broken' })).status).toBe(500);
  const broken = lines.find(({ fields }) => fields.path === '/broken');
  expect(broken).toMatchObject({ level: 'error', fields: { err: new Error('a bug') } });
});
