// Every long answer of the API is compressed for a client that takes it, whatever the route.
import { request } from 'undici';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { startLab } from '../support/lab.ts';

/** Bytes from which on an answer is compressed: a shorter one fits into one packet. */
const longBytes = 1024;

test('answers of 1 KiB and more are compressed, whatever the route', async () => {
  await using lab = await startLab({ routers: { home: { kind: 'vendor_b', sessions: 60 } } });
  const read = async (path: string, encoding: string) => {
    const headers = { 'accept-encoding': encoding, 'x-admin-token': lab.adminToken };
    const answer = await request(new URL(path, lab.url), { headers });
    return { encoding: answer.headers['content-encoding'], bytes: (await answer.body.arrayBuffer()).byteLength };
  };
  const routes: readonly RouteDefinition<unknown>[] = Object.values(api).flatMap((table) => Object.values(table));
  const paths = routes
    .filter(({ method, path }) => method === 'GET' && !path.includes(':') && path !== '/api/events')
    .map(({ path }) => (path === '/api/connections/export' ? `${path}?from=0&to=${lab.clock.now()}` : path));
  const long: { path: string; plain: unknown; packed: unknown }[] = [];
  for (const path of paths) {
    const plain = await read(path, 'identity');
    if (plain.bytes >= longBytes) {
      long.push({ path, plain: plain.encoding, packed: (await read(path, 'gzip')).encoding });
    }
  }
  expect(long).toEqual(long.map(({ path }) => ({ path, plain: undefined, packed: 'gzip' })));
  expect(long.length).toBeGreaterThanOrEqual(8);
});
