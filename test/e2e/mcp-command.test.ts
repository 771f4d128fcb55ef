// `gatehouse mcp` as it is started: by a client over stdio, by an operator with a private file; how it stops, and why not.
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { close, freePort, listen } from '#kernel/http/listening.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { envText } from '../../scripts/env-text.ts';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { clientKinds, connectClient } from '../support/mcp-clients.ts';
import { legacy, post } from '../support/mcp-lab.ts';
import { seedLog } from '../support/mcp-seed.ts';
import { root, runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const command = path.join(root, 'src/main.ts');
const mcp = (...args: string[]) => [command, 'mcp', ...args];

/** A hub whose log holds something of the last hours by the wall clock. */
async function startSeededHub(): Promise<Lab<never>> {
  const lab = await startLab();
  await seedLog({ dataDir: lab.dataDir, clock: systemClock as never });
  return lab;
}

/** What HTTP in token mode needs, in a hub's data folder. */
async function httpEnv(lab: Lab<never>): Promise<Record<string, string>> {
  const { token } = await lab.as.identity(['network.read', 'notes.write']);
  return {
    MONITOR_URL: lab.url.href,
    MCP_PORT: String(await freePort()),
    MCP_TOKEN: 'the-token-of-clients',
    MCP_SERVICE_TOKEN: token,
    MCP_AUDIT_HMAC_KEY: 'a-key-of-the-pseudonyms-of-32-characters',
    MCP_AUDIT_DB_PATH: path.join(lab.dataDir, 'audit.db'),
  };
}

describe('over stdio', () => {
  const kinds = clientKinds.map((kind) => ({ kind, what: `${kind} starts it, lists eleven tools and calls one` }));
  verifies.each('mcp.transport.stdio mcp.client.stdio', kinds, async ({ kind }) => {
    using folder = temporaryFolder();
    await using lab = await startSeededHub();
    const env = { MONITOR_URL: lab.url.href, MONITOR_TOKEN: lab.adminToken };
    await using client = await connectClient(kind, { args: mcp(), env, cwd: folder.path });
    expect(await client.list()).toHaveLength(11);
    expect((await client.call('get_threat_summary')).structuredContent).toMatchObject({ total: 5, danger: 1 });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  verifies(
    'mcp.auth.stdio-token mcp.auth.stdio-unaffected mcp.env.token',
    'it asks with MONITOR_TOKEN, knows no limits and keeps no audit',
    async () => {
      using folder = temporaryFolder();
      await using lab = await startSeededHub();
      const limits = { MCP_RATE_LIMIT_GLOBAL: '1', MCP_RATE_LIMIT_SUBJECT: '1', MCP_MAX_CONCURRENT: '1' };
      const env = { MONITOR_URL: lab.url.href, MONITOR_TOKEN: lab.adminToken, ...limits };
      await using client = await connectClient('v2 modern', { args: mcp(), env, cwd: folder.path });
      const results = await Promise.all(Array.from({ length: 70 }, () => client.call('get_threat_summary')));
      expect(results.every(({ structuredContent }) => structuredContent?.total === 5)).toBe(true);
      expect(existsSync(path.join(folder.path, '.monitor-mcp-audit.db'))).toBe(false);
      const refused = { ...env, MONITOR_TOKEN: 'not-the-token' };
      await using other = await connectClient('v1', { args: mcp(), env: refused, cwd: folder.path });
      expect(await other.call('get_threat_summary')).toMatchObject({
        isError: true,
        content: [
          {
            text: 'the monitoring service answered 401: GET /api/connections/threat-counts; MONITOR_TOKEN is not a token of it: give the admin token',
          },
        ],
      });
    },
  );

  test('an address that is not the hub names MONITOR_URL', async () => {
    using folder = temporaryFolder();
    await using lab = await startSeededHub();
    const page = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<p>hello'));
    const other = await listen(page);
    const rows = [
      [new URL('/sub-path', lab.url).href, /answered 404: GET \/api\/devices; .*MONITOR_URL .* path of a proxy/],
      [`http://${other}`, /did not answer as a hub does: GET \/api\/devices; .*MONITOR_URL /],
      [`http://127.0.0.1:${await freePort()}`, /could not be asked: GET \/api\/devices; .*MONITOR_URL$/],
    ] as const;
    for (const [address, says] of rows) {
      const env = { MONITOR_URL: address, MONITOR_TOKEN: lab.adminToken };
      await using client = await connectClient('v1', { args: mcp(), env, cwd: folder.path });
      const { content } = await client.call('get_devices');
      expect(content[0]?.text).toMatch(says);
    }
    await close(page);
  });

  test('it ends with its input, with 0, having printed nothing but answers', async () => {
    const { code, stdout } = await runProgram(mcp(), { env: { MONITOR_TOKEN: 'x' } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });
});

describe('over HTTP', () => {
  verifies('card.ships.mcp-server mcp.env.file-0600 mcp.http.local-listener', 'from a private file only', async () => {
    await using lab = await startSeededHub();
    const env = await httpEnv(lab);
    const file = path.join(lab.dataDir, 'mcp.env');
    writeFileSync(file, `# settings of the endpoint\n${envText(env)}`, { mode: 0o600 });
    {
      await using program = startProgram(mcp('--env-file', file));
      const [, address = ''] = await program.printed(/^gatehouse mcp ready (\S+)$/m);
      expect(address).toBe(`http://127.0.0.1:${env.MCP_PORT}/mcp`);
      const answer = await post(new URL(address), legacy('tools/list'), { 'x-admin-token': env.MCP_TOKEN ?? '' });
      expect(answer.status).toBe(200);
      program.kill('SIGTERM');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stderr()).toBe('');
    }
    for (const mode of [0o640, 0o604, 0o644]) {
      chmodSync(file, mode);
      const { code, stderr } = await runProgram(mcp('--env-file', file));
      expect(code).toBe(1);
      expect(stderr).toBe(
        `gatehouse mcp: ${file} holds secrets and has mode ${mode.toString(8)}: make it private with chmod 600\n`,
      );
    }
  });

  verifies('mcp.oauth.containment', 'what the environment sets wins over the file', async () => {
    await using lab = await startSeededHub();
    const file = path.join(lab.dataDir, 'mcp.env');
    writeFileSync(file, 'MCP_PORT=1\nMCP_AUTH_MODE=oauth\n', { mode: 0o600 });
    const env: Record<string, string> = { ...(await httpEnv(lab)), MCP_AUTH_MODE: 'token' };
    await using program = startProgram(mcp('--env-file', file), { env });
    const [, address = ''] = await program.printed(/^gatehouse mcp ready (\S+)$/m);
    expect(new URL(address).port).toBe(env.MCP_PORT);
    program.kill('SIGINT');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  test('an IPv6 bind works', async () => {
    await using lab = await startSeededHub();
    const env: Record<string, string> = { ...(await httpEnv(lab)), MCP_BIND_ADDRESS: '::1' };
    await using program = startProgram(mcp(), { env });
    const [, address = ''] = await program.printed(/^gatehouse mcp ready (\S+)$/m);
    const answer = await post(new URL(address), legacy('tools/list'), { 'x-admin-token': env.MCP_TOKEN ?? '' });
    expect(answer.status).toBe(200);
  });
});

describe('what stops the start is one sentence and exit code 1, or 2 for an option', () => {
  const refusals: [string, string[], Record<string, string>, number, RegExp][] = [
    ['an unknown option', ['--colour'], {}, 2, /^gatehouse mcp: .*--colour.*see --help/],
    ['no token for stdio', [], {}, 1, /^gatehouse mcp: MONITOR_TOKEN: is not set/],
    ['a profile that does not fit', [], { MONITOR_DEPLOYMENT_PROFILE: 'public-oauth' }, 1, /does not fit stdio/],
    [
      'a port that is none',
      [],
      { MCP_PORT: 'http' },
      1,
      /^gatehouse mcp: MCP_PORT: must be a whole number from 1 to 65535/,
    ],
  ];
  test.each(refusals)('%s', async (_, args, env, code, says) => {
    const ended = await runProgram(mcp(...args), { env });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  // Without the two dashes Node takes the option for its own, and refuses the missing file itself.
  test('no file', async () => {
    const { code, stderr } = await runProgram(['--', ...mcp('--env-file', '/nowhere/mcp.env')]);
    expect(code).toBe(1);
    expect(stderr).toBe('gatehouse mcp: /nowhere/mcp.env cannot be read: name a file of NAME=value lines\n');
  });

  test('a port that is taken', async () => {
    await using lab = await startSeededHub();
    const env = { ...(await httpEnv(lab)), MCP_PORT: lab.url.port };
    const { code, stderr } = await runProgram(mcp(), { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gatehouse mcp: port \d+ of 127\.0\.0\.1 is in use: .*MCP_PORT\n$/);
  });

  test('--help and --version', async () => {
    const help = await runProgram(mcp('--help'));
    expect({ code: help.code, stderr: help.stderr }).toEqual({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: gatehouse mcp /);
    expect((await runProgram(mcp('--version'))).stdout).toBe(`${packageVersion()}\n`);
  });

  test('SIGTERM ends the wait for a hub that is not there', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    const env = {
      ...{ MONITOR_URL: `http://127.0.0.1:${port}`, MCP_PORT: String(await freePort()), MCP_TOKEN: 'token-of-clients' },
      ...{ MCP_SERVICE_TOKEN: `svc_${'a1'.repeat(32)}`, MCP_AUDIT_HMAC_KEY: 'k'.repeat(32) },
      MCP_AUDIT_DB_PATH: path.join(folder.path, 'audit.db'),
    };
    await using program = startProgram(mcp(), { env });
    await eventually(
      async () => program.stderr(),
      (text) => (text.includes('trying again') ? true : undefined),
    );
    program.kill('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });
});
