// What must be right before anything listens, and what is looked at again while it runs.
import { describe, expect, test } from 'vitest';
import { hubEnv } from '#hub/base/config.ts';
import { raw } from '../support/actors.ts';
import { until } from '../support/eventually.ts';
import { startLab } from '../support/lab.ts';
import { legacy, passTimeUntil, startMcpLab } from '../support/mcp-lab.ts';
import { verifies } from '../support/verifies.ts';

const call = legacy('tools/call', { name: 'get_threat_summary', arguments: {} });
const hour = 3_600_000;

describe('the service identity', () => {
  verifies(
    'mcp.hub-calls.create-identity mcp.startup.checks-self mcp.env.token',
    'is made with the admin token, and asked for at the start',
    async () => {
      await using scene = await startMcpLab();
      expect(scene.relay.sent()).toMatch(/^GET \/api\/auth\/api-identities\/self HTTP/);
      const asks = { label: 'assistant', permissions: ['network.read', 'notes.write'], expiresInMs: hour };
      const made = await raw(scene.lab.url, {
        method: 'POST',
        path: '/api/auth/api-identities',
        headers: { 'x-admin-token': scene.lab.adminToken, 'content-type': 'application/json' },
        body: JSON.stringify(asks),
      });
      expect(made).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^svc_/) } });
      scene.settings.hub.token = (made.body as { token: string }).token;
      await scene.restart();
      expect((await scene.post(call)).body.result).toMatchObject({ structuredContent: { total: 5 } });
    },
  );

  verifies(
    'mcp.startup.fails-closed mcp.env.service-token',
    'must be an identity of this hub that holds exactly the two permissions',
    async () => {
      await using scene = await startMcpLab();
      const made = async (permissions: string[]) =>
        (
          await scene.lab.as.admin.auth.createIdentity({
            body: { label: 'mcp', permissions: permissions as ['network.read'], expiresInMs: 3_600_000 },
          })
        ).token;
      const wrong: [string, RegExp][] = [
        [await made(['network.read']), /grants network\.read: make one with exactly network\.read and notes\.write$/],
        [await made(['network.read', 'notes.write', 'ai.run']), /grants ai\.run, network\.read, notes\.write: make/],
        [await made(['notes.write']), /the monitoring service refused it \(403\)/],
        [`svc_${'0'.repeat(64)}`, /the monitoring service refused it \(401\): make a new API identity$/],
        [scene.lab.adminToken, /the monitoring service refused it \(403\)/],
      ];
      for (const [token, says] of wrong) {
        scene.settings.hub.token = token;
        await expect(scene.restart()).rejects.toThrow(says);
      }
      scene.settings.hub.token = await made(['notes.write', 'network.read']);
      await scene.restart();
      expect((await scene.post(call)).body.result).toMatchObject({ structuredContent: { total: 5 } });
    },
  );

  test('that is revoked stops every call at once, also when it is found out by the hour', async () => {
    await using scene = await startMcpLab();
    const { identities } = await scene.lab.as.admin.auth.identities({});
    await scene.lab.as.admin.auth.revokeIdentity({ params: { id: identities[0]?.id ?? '' }, body: {} });
    await scene.lab.advance(hour);
    const text = 'the MCP server has no valid identity at the monitoring service';
    await until(async () => JSON.stringify((await scene.post(call)).body).includes(text));
    const before = scene.relay.sent().length;
    expect((await scene.post(call)).body.result).toMatchObject({ isError: true, content: [{ text }] });
    expect(scene.relay.sent().slice(before)).not.toContain('threat-counts');
  });
});

describe('a hub that is not there', () => {
  test('is asked again for a minute, then the start gives up', async () => {
    await using scene = await startMcpLab();
    await scene.relay[Symbol.asyncDispose]();
    const started = scene.restart().then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(await passTimeUntil(scene, 2000, started)).toBe(
      'MONITOR_URL: the monitoring service could not be asked: GET /api/auth/api-identities/self; ' +
        'start it, or correct the address',
    );
  });
});

describe('a proxy in front of the hub', () => {
  verifies(
    'mcp.env.monitor-trust-proxy',
    'tells whose request it is only when MONITOR_TRUST_PROXY names it',
    async () => {
      const seen = async (text: string) => {
        const { MONITOR_TRUST_PROXY: trustProxy } = hubEnv.parse({ MONITOR_TRUST_PROXY: text });
        await using lab = await startLab({ hub: { trustProxy } });
        for (const address of ['203.0.113.1', '203.0.113.2']) {
          const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' };
          await lab.as.raw({ method: 'POST', path: '/api/auth/login', headers, body: '{"password":"wrong"}' });
        }
        const { events } = await lab.as.admin.auth.auditEvents({ query: {} });
        return new Set(events.map(({ clientIpHash }) => clientIpHash)).size;
      };
      expect(await seen('')).toBe(1);
      expect(await seen('10.0.0.0/8')).toBe(1);
      expect(await seen('127.0.0.1')).toBe(2);
    },
  );
});
