// Large bodies through a real nginx that runs docs/nginx.conf: it may not write them to its disk, which is small in compose.yaml.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { fill } from '../support/filled-log.ts';
import { startLab } from '../support/lab.ts';
import { legacy, mcpToken, post, startMcpLab } from '../support/mcp-lab.ts';
import { agentToLoopback, proxiedName, startNginx } from '../support/nginx.ts';
import { withPrograms } from '../support/real-programs.ts';

const megabyte = 1_048_576;

/** nginx in front of both, and connections that trust it. */
async function startEdge(upstreams: { mcp: URL; hub: URL }) {
  const port = await freePort();
  const authority = await createAuthority();
  const certificate = await authority.issue([proxiedName]);
  const nginx = await startNginx({ port, certificate, ...upstreams });
  const agent = agentToLoopback(authority.cert);
  return {
    url: new URL(`https://${proxiedName}:${port}/`),
    agent,
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      await nginx[Symbol.asyncDispose]();
    },
  };
}

withPrograms('nginx-light', ['nginx'], () => {
  test('a backup comes whole to a client that reads slowly, and goes back', async () => {
    await using lab = await startLab({});
    await using edge = await startEdge({ mcp: lab.url, hub: lab.url });
    const headers = { 'x-admin-token': lab.adminToken };
    await fill(lab, 100_000);
    const { name } = await lab.as.admin.backup.create({ body: {} });
    const file = path.join(lab.dataDir, 'backups', name);
    expect(statSync(file).size).toBeGreaterThan(16 * megabyte);
    const answer = await request(new URL(`api/backup/download/${name}`, edge.url), { headers, dispatcher: edge.agent });
    // More than sockets hold is on its way before the first byte is read.
    await systemClock.sleep(1000);
    const body = Buffer.from(await answer.body.arrayBuffer());
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    expect({ size: body.length, digest }).toEqual({
      size: statSync(file).size,
      digest: answer.headers['content-digest'],
    });
    const sent = await request(new URL('api/backup/upload', edge.url), {
      ...{ method: 'POST', dispatcher: edge.agent, body },
      headers: { ...headers, 'content-type': 'application/octet-stream', 'content-digest': digest },
    });
    expect({ status: sent.statusCode, body: await sent.body.json() }).toMatchObject({
      status: 200,
      body: { success: true },
    });
  });

  test('an upload that the hub does not want is refused by the hub while it comes', async () => {
    await using lab = await startLab({});
    await using edge = await startEdge({ mcp: lab.url, hub: lab.url });
    const refused = async (headers: Record<string, string>, size: number) => {
      const body = Buffer.alloc(size);
      const url = new URL('api/backup/upload', edge.url);
      const { statusCode, body: said } = await request(url, { method: 'POST', dispatcher: edge.agent, headers, body });
      return [statusCode, ((await said.json()) as { code: string }).code];
    };
    const type = { 'content-type': 'application/octet-stream' };
    expect(await refused(type, 24 * megabyte)).toEqual([401, 'unauthorized']);
    const admin = { ...type, 'x-admin-token': lab.adminToken };
    expect(await refused(admin, 101 * megabyte)).toEqual([413, 'payload_too_large']);
  });

  test('the largest call of a tool fits into its memory', async () => {
    await using scene = await startMcpLab({ env: { MCP_TRUST_PROXY: '127.0.0.1' } });
    await using edge = await startEdge({ mcp: scene.url, hub: scene.lab.url });
    const call = { ...legacy('tools/list'), params: { _meta: { filler: '' } } };
    const filler = 'x'.repeat(262_144 - JSON.stringify(call).length);
    const message = { ...call, params: { _meta: { filler } } };
    const { status } = await post(new URL('mcp', edge.url), message, { 'x-admin-token': mcpToken }, edge.agent);
    expect(status).toBe(200);
  });
});
