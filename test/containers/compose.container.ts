// compose.yaml as an operator starts it: the hub first, then the secrets of the others, then all of it behind TLS.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DockerComposeEnvironment, type StartedDockerComposeEnvironment, Wait } from 'testcontainers';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSelfSigned } from '../../simulators/support/certificates.ts';
import { authRoutes } from '../../src/contract/auth.ts';
import { healthRoutes } from '../../src/contract/health.ts';
import { createClient } from '../../src/kernel/http/client.ts';
import { freePort } from '../../src/kernel/http/listening.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-compose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Secrets are files of the tests, and not of the folder that holds those of an operator. */
function secret(name: string, text: string): void {
  // The user of the container is another one than that of the tests.
  writeFileSync(path.join(folder, name), text, { mode: 0o644 });
}

function project(environment: Record<string, string>): DockerComposeEnvironment {
  const names = { 'mcp-token': '', 'mcp-service-token': '', 'mcp-audit-key': '', 'tls-certificate': '', 'tls-key': '' };
  const secrets = Object.fromEntries(Object.keys(names).map((name) => [name, { file: path.join(folder, name) }]));
  const override = path.join(folder, 'override.json');
  writeFileSync(override, JSON.stringify({ secrets }));
  return new DockerComposeEnvironment(root, ['compose.yaml', override])
    .withProjectName(`gatehouse-test-${process.pid}`)
    .withBuild()
    .withEnvironment(environment)
    .withDefaultWaitStrategy(Wait.forHealthCheck());
}

describe('hub, MCP server and edge', () => {
  const mcpToken = randomBytes(32).toString('hex');
  const insecure = new Agent({ connect: { rejectUnauthorized: false } });
  let hubUrl: URL;
  let edgeUrl: URL;
  let started: StartedDockerComposeEnvironment;

  beforeAll(async () => {
    hubUrl = new URL(`http://127.0.0.1:${await freePort()}`);
    edgeUrl = new URL(`https://127.0.0.1:${await freePort()}`);
    const certificate = await createSelfSigned(['localhost', '127.0.0.1']);
    secret('tls-certificate', certificate.cert);
    secret('tls-key', certificate.key);
    secret('mcp-token', mcpToken);
    secret('mcp-audit-key', randomBytes(32).toString('hex'));
    secret('mcp-service-token', 'is made below');
    const compose = project({
      GATEHOUSE_PORT: hubUrl.port,
      GATEHOUSE_TLS_PORT: edgeUrl.port,
      GATEHOUSE_URL: edgeUrl.origin,
    });
    started = await compose.up(['hub']);
    const { output } = await started
      .getContainer(`gatehouse-test-${process.pid}-hub-1`)
      .exec(['cat', '/data/initial-admin-token']);
    const admin = createClient({ auth: authRoutes }, { baseUrl: hubUrl, headers: { 'X-Admin-Token': output.trim() } });
    const identity = await admin.auth.createIdentity({
      body: { label: 'mcp', permissions: ['network.read', 'notes.write'], expiresInMs: 86_400_000 },
    });
    secret('mcp-service-token', identity.token);
    started = await compose.withNoRecreate().up();
  });
  afterAll(() => started?.down({ removeVolumes: true }));

  test('the hub is ready, by itself and through the edge', async () => {
    expect(await createClient({ health: healthRoutes }, { baseUrl: hubUrl }).health.readyz({})).toEqual({
      status: 'ready',
    });
    const through = await request(new URL('/readyz', edgeUrl), { dispatcher: insecure });
    expect(through.statusCode).toBe(200);
  });

  test('an assistant gets eleven tools through the edge, and nobody without the token', async () => {
    const ask = (headers: Record<string, string>) =>
      request(new URL('/mcp', edgeUrl), {
        method: 'POST',
        dispatcher: insecure,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      });
    expect((await ask({})).statusCode).toBe(401);
    const answer = await ask({ authorization: `Bearer ${mcpToken}`, 'mcp-protocol-version': '2025-11-25' });
    expect(answer.statusCode).toBe(200);
    expect((await answer.body.text()).match(/"inputSchema"/g)).toHaveLength(11);
  });

  test.each(['hub', 'mcp'])(
    '%s runs as a user without rights on a file system that it cannot write to',
    async (name) => {
      const container = started.getContainer(`gatehouse-test-${process.pid}-${name}-1`);
      const status = (await container.exec(['cat', '/proc/1/status'])).output;
      expect(status).toMatch(/^Uid:\t10001\t/m);
      expect(status).toMatch(/^CapEff:\t0000000000000000$/m);
      expect((await container.exec(['touch', '/opt/gatehouse/x'])).exitCode).not.toBe(0);
    },
  );
});

test('the lab: a hub among all simulators, each of them healthy', async () => {
  const port = String(await freePort());
  const lab = await project({ GATEHOUSE_LAB_PORT: port })
    .withProfiles('lab')
    .up(['lab-hub', ...(await labServices())]);
  try {
    const health = createClient({ health: healthRoutes }, { baseUrl: new URL(`http://127.0.0.1:${port}`) }).health;
    expect(await health.readyz({})).toEqual({ status: 'ready' });
  } finally {
    await lab.down({ removeVolumes: true });
  }
});

async function labServices(): Promise<string[]> {
  const { commands } = await import('../../simulators/commands.ts');
  return commands.map(({ kind }) => `lab-${kind.replace('_', '-')}`);
}
