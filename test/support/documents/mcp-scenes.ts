// The blocks of docs/mcp.md: what an assistant would start or call is started and called, with the official client.
import { expect } from 'vitest';
import { mcpEnv } from '#mcp/config.ts';
import { mcpSettings } from '#mcp/settings.ts';
import { connectClient, type Way } from '../mcp-clients.ts';
import { findCommands } from './commands.ts';
import type { Scene } from './scenes.ts';
import type { DocumentStage } from './stage.ts';

const document = 'docs/mcp.md';

interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
  url: string;
  headers: Record<string, string>;
}

export const mcpScenes: Readonly<Record<string, Scene>> = {
  [`${document} stdio`]: async ({ text }, stage) => {
    const { mcpServers } = JSON.parse(stage.placed(text)) as { mcpServers: { gatehouse: Server } };
    await answers(started(mcpServers.gatehouse, stage));
  },
  [`${document} vscode`]: async ({ text }, stage) => {
    const { inputs, servers } = JSON.parse(stage.placed(text)) as {
      inputs: { id: string }[];
      servers: { gatehouse: Server };
    };
    const [input] = inputs;
    // What VS Code puts there when it has asked.
    const entered = (value: string) => value.replace(`\${input:${input?.id}}`, stage.adminToken);
    const { env } = servers.gatehouse;
    await answers(
      started(
        {
          ...servers.gatehouse,
          env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, entered(value)])),
        },
        stage,
      ),
    );
  },
  [`${document} claude`]: async ({ text }, stage) => {
    const [command = ''] = findCommands(stage.placed(text).replace('"$TOKEN"', stage.adminToken));
    const [options = '', start = ''] = command.split(' -- ');
    expect(options).toMatch(/^claude mcp add --scope user gatehouse( --env [A-Z_]+=\S+)+\s*$/);
    const env = Object.fromEntries([...options.matchAll(/--env (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
    const [program = '', ...args] = start.split(' ');
    await answers(started({ command: program, args, env, url: '', headers: {} }, stage));
  },
  [`${document} http`]: async ({ text }, stage) => {
    const [address = '', token = ''] = stage.printed('MCP').split(/\s+X-Admin-Token: /);
    const { mcpServers } = JSON.parse(text) as { mcpServers: { gatehouse: Server } };
    expect(mcpServers.gatehouse.url).toMatch(/^https:\/\/.*\/mcp$/);
    const headers = Object.keys(mcpServers.gatehouse.headers).map((name) => [name, token]);
    await answers({ url: new URL(address), headers: Object.fromEntries(headers) });
  },
  [`${document} private`]: async ({ text }) => {
    expect(settingsOf(text)).toMatchObject({ transport: 'http', profile: 'private-http', auth: { mode: 'token' } });
  },
  [`${document} oauth`]: async ({ text }) => {
    const above = ['MCP_PORT=3001', 'MCP_SERVICE_TOKEN=svc_…', 'MCP_AUDIT_HMAC_KEY=…'];
    expect(settingsOf([text, ...above].join('\n'))).toMatchObject({
      profile: 'private-oauth',
      auth: { mode: 'oauth' },
    });
  },
  [`${document} audit`]: async (block, stage) => {
    const text = block.text.replace('mcp-audit.db', `${stage.dataDir}/mcp-audit.db`);
    expect(await stage.shell([{ ...block, text }])).toMatch(/^\d{4}-\d\d-\d\d [\d:]+\|.*\|success\|/m);
  },
};

function started({ command, args, env }: Server, stage: DocumentStage): Way {
  expect(command).toBe('node');
  return { args, env, cwd: stage.folder };
}

/** Initializes, and lists the tools. */
async function answers(way: Way): Promise<void> {
  await using client = await connectClient('v2 auto', way);
  expect(await client.list()).toHaveLength(11);
}

/** What the server makes of such a file, with a secret for each … */
function settingsOf(text: string) {
  const values = text
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line, number) => line.replace('…', String(number % 10).repeat(64)).split(/=(.*)/s));
  return mcpSettings(mcpEnv.parse(Object.fromEntries(values.map(([name, value]) => [name, value]))));
}
