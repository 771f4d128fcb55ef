// Process health, before and after bootstrap, and while stopping.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { raw } from '../support/actors.ts';
import { holdScrypt } from '../support/held-scrypt.ts';
import { recordOf, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const migrations = readdirSync(path.join(import.meta.dirname, '../../src/hub/base/migrations'));
const newestMigration = Math.max(...migrations.map((name) => Number(name.slice(0, 3))));

verifies(
  'rest.health.not-ready rest.health.ready-transition rest.health.ready',
  'exactly not_ready and 503 while the hub still makes its credentials, exactly ready and 200 from the end of its start',
  async () => {
    const port = await freePort();
    const get = (path: string) => raw(new URL(`http://127.0.0.1:${port}`), { method: 'GET', path });
    using held = holdScrypt(1);
    const starting = startLab({ hub: { port } });
    await held.begun(1);
    expect(await get('/readyz')).toMatchObject({ status: 503, text: '{"status":"not_ready"}' });
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect((await get('/readyz')).headers['cache-control']).toBe('no-store');
    held.release(1);
    await using lab = await starting;
    expect(await get('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    await lab.stop();
    await expect(get('/readyz')).rejects.toThrow(/ECONNREFUSED/);
  },
);

verifies(
  'rest.health.live rest.health.ready-exposes-nothing',
  'with routers and people logged on the answers are the same single word',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    await lab.as.browser();
    for (const [path, word] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ] as const) {
      const answer = await lab.as.raw({ method: 'GET', path });
      expect(answer).toMatchObject({ status: 200, text: `{"status":"${word}"}` });
      const told = JSON.stringify([answer.headers, answer.text]);
      expect([lab.routers.a.id, lab.dataDir, lab.adminToken].filter((secret) => told.includes(secret))).toEqual([]);
    }
  },
);

verifies(
  'rest.health.outside-api rest.health.live-not-cached rest.health.ready-not-cached',
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
