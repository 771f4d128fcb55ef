// Process health, before and after bootstrap, and while stopping.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { healthRoutes } from '#contract/health.ts';
import { healthHandlers, type Readiness } from '#hub/health.ts';
import { mount, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/log.ts';
import { raw } from '../support/actors.ts';
import { recordOf, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const migrations = readdirSync(path.join(import.meta.dirname, '../../src/hub/migrations'));
const newestMigration = Math.max(...migrations.map((name) => Number(name.slice(0, 3))));

verifies(
  'rest.health.not-ready rest.health.ready-transition rest.health.ready rest.health.live rest.health.ready-exposes-nothing',
  'exactly not_ready and 503 until the flag turns, then exactly ready and 200',
  async () => {
    const readiness: Readiness = { ready: false };
    await using served = await startServer({
      mounted: [mount(healthRoutes, healthHandlers(readiness))],
      authorize: () => ({ who: 'nobody' as const }),
      log: createLog('test', 'silent'),
      host: '127.0.0.1',
      port: 0,
    });
    const get = (path: string) => raw(served.url, { method: 'GET', path });
    expect(await get('/readyz')).toMatchObject({ status: 503, text: '{"status":"not_ready"}' });
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    readiness.ready = true;
    expect(await get('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  },
);

verifies(
  'rest.health.outside-api rest.health.live-public rest.health.ready-public rest.health.live-not-cached rest.health.ready-not-cached',
  'both answer without a credential and forbid caching; neither lies under /api',
  async () => {
    await using lab = await startLab();
    for (const path of ['/healthz', '/readyz']) {
      const answer = await raw(lab.url, { method: 'GET', path });
      expect(answer.status).toBe(200);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect((await raw(lab.url, { method: 'GET', path: `/api${path}` })).status).toBe(404);
    }
  },
);

verifies('rest.health.live', 'health is not rate limited, the API is', async () => {
  await using lab = await startLab({ hub: { rate: { reads: 2, writes: 1, windowMs: 60_000 } } });
  const status = async (path: string) => (await lab.as.raw({ method: 'GET', path })).status;
  expect([await status('/api/routers'), await status('/api/routers')]).toEqual([200, 200]);
  const refused = await lab.as.raw({ method: 'GET', path: '/api/routers' });
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(refused.headers['retry-after']).toBe('60');
  expect(refused.headers['ratelimit-remaining']).toBe('0');
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
  await lab.advance(60_000);
  expect(await status('/api/routers')).toBe(200);
});

verifies(
  'rest.status.exists rest.status.protected',
  'status tells version, schema and how collection goes',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    expect((await raw(lab.url, { method: 'GET', path: '/api/status' })).status).toBe(401);
    const status = await lab.as.admin.status.status({});
    expect(status).toMatchObject({
      authenticated: true,
      schemaVersion: newestMigration,
      collection: { routers: 1, ready: 1, failed: 0 },
    });
    expect(status.features.oidc).toEqual({ enabled: false, reason: 'not_configured' });
    expect(status.collection.lastSuccessAt).toBe(lab.clock.now());
    await lab.as.admin.routers.create({ body: recordOf(lab.routers.a, 'wrong', { pass: 'not it' }) });
    await lab.settled();
    expect((await lab.as.admin.status.status({})).collection).toMatchObject({ routers: 2, ready: 1, failed: 1 });
  },
);
