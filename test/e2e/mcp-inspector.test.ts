// MCP Inspector on its command line: a client nobody here wrote, in both eras, over HTTP and stdio.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { tools } from '#mcp/tools.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { mcpToken, startMcpLab } from '../support/mcp-lab.ts';
import { root, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const inspector = path.join(root, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const eras = ['legacy', 'auto', 'modern'] as const;
const names = tools.map(({ name }) => name);
/** `--strict` exits with 6 when a schema is one that some client cannot use. */
const listing = ['--method', 'tools/list', '--strict'];
const calling = ['--method', 'tools/call', '--tool-name', 'get_traffic_summary', '--tool-arg', 'period=1h'];

/** It writes into its home, so it gets one of its own. */
async function inspect(args: readonly string[]) {
  using home = temporaryFolder();
  const { code, stdout, stderr } = await runProgram([inspector, '--cli', '--format', 'json', ...args], {
    env: { HOME: home.path },
  });
  return { code, stdout, stderr };
}

/** The result it prints; throws what it says when there is none. */
async function resultOf(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await inspect(args);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { result: Record<string, unknown> }).result;
}

const namesIn = (result: Record<string, unknown>) => (result.tools as { name: string }[]).map(({ name }) => name);

describe.each(eras)('era %s', (era) => {
  test('over HTTP it lists every tool, with schemas any client can use, and calls one', async () => {
    await using scene = await startMcpLab();
    const way = [scene.url.href, '--header', `X-Admin-Token: ${mcpToken}`, '--protocol-era', era];
    expect(namesIn(await resultOf([...way, ...listing]))).toEqual(names);
    const { structuredContent } = await resultOf([...way, ...calling]);
    expect(structuredContent).toMatchObject({ period: '1h', totalSessions: 2, uniqueDevices: 1 });
    const opening = era === 'legacy' ? 'initialize' : 'server/discover';
    expect((await scene.settledRows()).map(({ mcp_method }) => mcp_method)).toContain(opening);
  });

  test('over stdio it starts the command, lists every tool and calls one', async () => {
    await using lab = await startLab();
    expect(namesIn(await resultOf([...stdio(lab, era), ...listing, ...command]))).toEqual(names);
    const { structuredContent } = await resultOf([...stdio(lab, era), ...calling, ...command]);
    expect(structuredContent).toMatchObject({ period: '1h', totalSessions: 0 });
  });
});

const command = ['--', process.execPath, path.join(root, 'src/main.ts'), 'mcp'];

function stdio({ url, adminToken }: Lab<never>, era: (typeof eras)[number]): string[] {
  return ['-e', `MONITOR_URL=${url.href}`, '-e', `MONITOR_TOKEN=${adminToken}`, '--protocol-era', era];
}

verifies('mcp.auth.401', 'with a wrong token it is told to authenticate', async () => {
  await using scene = await startMcpLab();
  const { code, stdout, stderr } = await inspect([...[scene.url.href, '--header', 'X-Admin-Token: wrong'], ...listing]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('auth_required');
  expect((await scene.settledRows()).at(-1)).toMatchObject({ http_status: 401, reason: 'unauthorized' });
});
