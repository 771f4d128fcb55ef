// `npm run demo`: the scenario `demo`, a hub with two weeks of its history, and its MCP server, until Ctrl-C. Everything
// runs on loopback; destinations are data (docs/demo.md).
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { api } from '#contract/index.ts';
import { webFolder } from '#hub/start/front/web-folder.ts';
import { type Hub, startHub } from '#hub/start/hub.ts';
import { messageOf } from '#kernel/errors.ts';
import { createClient } from '#kernel/http/client.ts';
import { freePort } from '#kernel/http/listening.ts';
import { setEnv } from '#kernel/process/env.ts';
import { createLog } from '#kernel/process/log.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { createToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { readableCommand } from '#simulators/router/command.ts';
import { writeHistory } from './demo/history.ts';
import { registerRouters, setUp } from './demo/set-up.ts';
import { startWorld, type World, type WorldLines } from './demo/world.ts';
import { clientConfiguration, type DemoMcp, startDemoMcp } from './demo-mcp.ts';

const usage = `Usage: npm run demo [-- --free-ports]

Runs simulators, the hub and its MCP server on loopback: hub 3000, MCP 3001, vendor_a 2221, vendor_b 2222, OIDC issuer
4000, threat feeds 4010, chat workspace 4020, AI providers 4030, mesh access point 4050, UPS 6547; an MQTT broker and a trapper listener on
any free ports. Nothing beyond this machine is contacted. docs/demo.md says what there is to see.

Options
  --free-ports  take any free ports instead
  --help        this text
`;

const pollIntervalMs = 10_000;

async function demo(freePorts: boolean): Promise<void> {
  const stop = stopSignal();
  const port = freePorts ? await freePort() : 3000;
  const hubUrl = new URL(`http://127.0.0.1:${port}`);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gatehouse-demo-'));
  try {
    await using world = await startWorld({ hub: hubUrl, freePorts });
    const { feeds, chat, ai } = world.lines;
    useCredentials(ai);
    const adminToken = createToken('', 24);
    const routers = registerRouters(dataDir, world.lines);
    console.log('writing two weeks of history, a few seconds');
    const past = await writeHistory({ dataDir, routers, seed: world.seed, now: systemClock.now() });
    console.log(`two weeks of history: ${past} connections\n`);
    await using hub = await startHub({
      dataDir,
      webFolder: webFolder(),
      host: hubUrl.hostname,
      port,
      version: packageVersion(),
      clock: systemClock,
      log: createLog('hub', 'warn'),
      pollIntervalMs,
      allowLoopbackRouters: true,
      threatMirror: new URL(feeds.url),
      chatApiUrl: new URL(chat.url),
      aiUrls: ai,
      logPathPrefixes: [dataDir],
      initialAdminToken: adminToken,
    });
    const client = createClient(api, { baseUrl: hub.url, headers: { 'x-admin-token': adminToken } });
    const resolverLog = path.join(dataDir, 'resolver.log');
    await setUp({ hub: client, hubUrl, routerIds: routers.map(({ id }) => id), resolverLog, world });
    await using mcp = await startDemoMcp({ hub: hub.url, admin: client, port: freePorts ? 0 : 3001, dataDir, stop });
    await hub.settled();
    print(hub, adminToken, world, mcp);
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What the default credential chain of AWS finds first: it looks at no file of the user, and asks no machine of a cloud. */
function useCredentials({ keys }: WorldLines['ai']): void {
  setEnv({
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
  });
}

function print({ url, newPassword }: Hub, token: string, { lines, agent }: World, mcp: DemoMcp): void {
  const { 'vendor-a': a, 'vendor-b': b, ups, broker, trapper, chat, ai, mesh } = lines;
  const login = ({ url: address, user, password }: typeof a | typeof b) => {
    const { hostname, port } = new URL(address);
    return `ssh -p ${port} ${user}@${hostname}   password ${password}`;
  };
  console.log(`page          ${url.origin}/   password ${newPassword}
one click     ${url.origin}/api/auth/oidc/start   the page, logged in through the simulated issuer
admin token   ${token}
ask           curl -H "X-Admin-Token: ${token}" "${url.origin}/api/connections?limit=20"
then          /api/connections?limit=20&fDst=203.0.113.80   seen by both routers
              /api/connections/threat-connections   two listed destinations
              /api/connections?limit=20&fDst=203.0.113.77   with the program that an Agent names
              /api/beacons   regular beacons
              /api/devices and /api/devices/merge-candidates   who is at home, and who may be the same twice
              /api/notification-log   what was detected and told; more in docs/demo.md
vendor_a      ${login(a)}   then: ${readableCommand}
vendor_b      ${login(b)}${b.enablePassword ? `   enable ${b.enablePassword}` : ''}
UPS           ${ups.url}   user ${ups.user}, password ${ups.password}
MQTT          ${broker.url}   TLS ${broker.tlsUrl}
trapper       ${trapper.url}
Agent         ${agent.agents[0]?.hostName} on anna-laptop; /api/agents
chat          ${chat.url}   mesh ${mesh.url}
AI            ${ai.local}   chosen; keys: Anthropic ${ai.keys.cloud_a}, OpenAI ${ai.keys.cloud_b}
MCP           ${mcp.url.href}   X-Admin-Token: ${mcp.token}
MCP client    ${clientConfiguration(mcp)}
stop          Ctrl-C

ready ${url.origin}`);
}

try {
  const { values } = parseArgs({
    options: { 'free-ports': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(usage);
  } else {
    await demo(values['free-ports'] ?? false);
  }
} catch (error) {
  const inUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  console.error(
    `demo: ${messageOf(error)}${inUse ? ' — stop what holds it, or use: npm run demo -- --free-ports' : ''}`,
  );
  process.exitCode = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1;
}
