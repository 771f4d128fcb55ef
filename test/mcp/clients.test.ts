// The official clients of both generations and eras, over HTTP and stdio, against one table of tools.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientKinds, connectClient } from '../support/mcp-clients.ts';
import { legacy, mcpToken, modern, startMcpLab } from '../support/mcp-lab.ts';
import { root } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const judged = {
  judged: 'none',
  judgedWhy: expect.objectContaining({ reason: 'offline_mode' }),
  coverage: { share: null, message: expect.stringContaining('no router was set up') },
};
const counts = { period: '24h', safe: 3, warn: 1, danger: 1, total: 5, ...judged };

describe('over HTTP', () => {
  const kinds = clientKinds.map((kind) => ({ kind, what: `${kind} lists and calls` }));
  verifies.each('mcp.transport.http mcp.client.http', kinds, async ({ kind }) => {
    await using scene = await startMcpLab();
    await using client = await connectClient(kind, { url: scene.url, headers: { 'x-admin-token': mcpToken } });
    expect(client.serverName).toBe('gatehouse');
    expect((await client.list()).map(({ name }) => name)).toContain('get_threat_summary');
    const { isError, structuredContent, content } = await client.call('get_threat_summary');
    expect({ isError: isError ?? false, structuredContent }).toEqual({ isError: false, structuredContent: counts });
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(counts);
    const rows = await scene.settledRows();
    const opening = kind === 'v1' || kind === 'v2 legacy' ? 'initialize' : 'server/discover';
    expect(rows.map(({ mcp_method }) => mcp_method)).toContain(opening);
    expect(rows.at(-1)).toMatchObject({ event_type: 'mcp_tool_call', tool_name: 'get_threat_summary', reason: null });
  });

  verifies(
    'mcp.tools.one-definition mcp.tools.combinable',
    'both eras list the same tools, and a client may call several at once',
    async () => {
      await using scene = await startMcpLab();
      const way = { url: scene.url, headers: { authorization: `Bearer ${mcpToken}` } };
      await using first = await connectClient('v1', way);
      await using next = await connectClient('v2 modern', way);
      const plain = (listed: unknown[]) => JSON.parse(JSON.stringify(listed)) as unknown;
      expect(plain(await first.list())).toEqual(plain(await next.list()));
      const [threats, traffic] = await Promise.all([
        next.call('get_threat_summary', { period: '1h' }),
        next.call('get_traffic_summary', { period: '1h' }),
      ]);
      expect(threats.structuredContent).toMatchObject({ total: 2 });
      expect(traffic.structuredContent).toMatchObject({ totalSessions: 2 });
    },
  );
});

describe('eras', () => {
  verifies('mcp.era.sdk-v2', 'the server is built on generation v2 of the SDK, and on nothing of v1', () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const official = Object.keys(dependencies).filter((name) => name.startsWith('@modelcontextprotocol/'));
    expect(official).toEqual(['@modelcontextprotocol/server']);
    expect(dependencies['@modelcontextprotocol/server']).toMatch(/^2\./);
    const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path.join(root, 'src', file), 'utf8'));
    const imported = sources.flatMap((text) =>
      [...text.matchAll(/'(@modelcontextprotocol\/[^'/]+)/g)].map(([, name]) => name),
    );
    expect(new Set(imported)).toEqual(new Set(official));
  });

  verifies(
    'mcp.era.initialize mcp.transport.no-sticky',
    '2025-11-25 opens with initialize; nothing is remembered between requests',
    async () => {
      await using scene = await startMcpLab();
      const clientInfo = { name: 'test', version: '1' };
      const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      const { status, headers, body } = await scene.post(legacy('initialize', opening));
      expect({ status, session: headers['mcp-session-id'] }).toEqual({ status: 200, session: undefined });
      expect(body.result).toMatchObject({
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'gatehouse', version: '0.0.0' },
      });
      await scene.restart();
      const called = await scene.post(legacy('tools/call', { name: 'get_threat_summary', arguments: {} }), {
        'mcp-protocol-version': '2025-11-25',
      });
      expect(called.body.result).toMatchObject({ structuredContent: counts });
      for (const protocolVersion of ['2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01']) {
        const counted = await scene.post(legacy('initialize', { ...opening, protocolVersion }));
        expect({ protocolVersion, result: counted.body.result }).toMatchObject({
          ...{ protocolVersion, result: { protocolVersion: '2025-11-25' } },
        });
        const older = await scene.post(legacy('tools/list'), { 'mcp-protocol-version': protocolVersion });
        expect({ protocolVersion, status: older.status }).toEqual({ protocolVersion, status: 400 });
      }
    },
  );

  verifies('mcp.era.discover', '2026-07-28 asks server/discover, and says with each request who it is', async () => {
    await using scene = await startMcpLab();
    const { message, headers } = modern('server/discover');
    const { status, body } = await scene.post(message, headers);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
    });
    const listing = modern('tools/list');
    const listed = await scene.post(listing.message, listing.headers);
    expect(listed.headers['content-type']).toMatch(/^application\/json/);
    expect(listed.body.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
  });

  test.each([
    ['Mcp-Method differs', {}, { 'mcp-method': 'tools/list' }],
    ['Mcp-Name differs', {}, { 'mcp-name': 'get_devices' }],
    ['Mcp-Method is missing', {}, { 'mcp-method': null }],
    ['the version header differs', {}, { 'mcp-protocol-version': '2025-11-25' }],
  ])('-32020 when %s from the body', async (_, params, change) => {
    await using scene = await startMcpLab();
    const { message, headers } = modern('tools/call', { name: 'get_threat_summary', ...params });
    const { status, body } = await scene.post(message, { ...headers, ...change });
    expect({ status, code: (body.error as { code: number }).code }).toEqual({ status: 400, code: -32020 });
    expect((await scene.settledRows()).at(-1)).toMatchObject({ event_type: 'mcp_tool_call', reason: 'bad_request' });
  });

  test('-32022 for a revision nobody serves, with those that are', async () => {
    await using scene = await startMcpLab();
    const { message, headers } = modern('server/discover', {}, '2031-01-01');
    const { status, body } = await scene.post(message, headers);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2031-01-01' },
    });
  });

  test('-32602 for a modern header without the envelope', async () => {
    await using scene = await startMcpLab();
    const { headers } = modern('tools/list');
    const { status, body } = await scene.post(legacy('tools/list'), headers);
    expect({ status, code: (body.error as { code: number }).code }).toEqual({ status: 400, code: -32602 });
  });

  test('a notification is taken and not answered', async () => {
    await using scene = await startMcpLab();
    const { status, text } = await scene.post(legacy('notifications/initialized', {}, null));
    expect({ status, text }).toEqual({ status: 202, text: '' });
    expect((await scene.settledRows()).at(-1)).toMatchObject({
      mcp_method: 'notifications/initialized',
      outcome: 'success',
    });
  });

  test('a subscription ends at once: nothing here ever changes', async () => {
    await using scene = await startMcpLab();
    const { message, headers } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const { status, text } = await scene.post(message, headers);
    expect(status).toBe(200);
    expect(text).toContain('"result"');
  });
});
