// `npm run demo`: a household behind two routers with moving traffic and two weeks of history, all that the hub can be
// connected to, a hub and its MCP server, until Ctrl-C. Everything runs on loopback; destinations are data (docs/demo.md).
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
import { setEnv } from '#kernel/process/env.ts';
import { createLog } from '#kernel/process/log.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { createToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { AgentSimulator } from '#simulators/agent/agent.ts';
import { type AiSimulator, startAi } from '#simulators/ai/ai.ts';
import { type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { homeAddress, homeDestinations, homeHosts, homeMesh } from '#simulators/home/home.ts';
import { listedServices } from '#simulators/home/services.ts';
import { type MeshSimulator, startMesh } from '#simulators/mesh/access-point.ts';
import { type BrokerSimulator, startBroker } from '#simulators/mqtt/broker.ts';
import { startIssuer } from '#simulators/oidc/issuer.ts';
import { readableCommand } from '#simulators/router/command.ts';
import { type RouterSimulator, startRouter } from '#simulators/router/router.ts';
import type { Simulator } from '#simulators/support/simulator.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import { startUps, type UpsSimulator } from '#simulators/ups/ups.ts';
import { startDemoAgent } from './demo/agent.ts';
import { writeHistory } from './demo/history.ts';
import { registerRouters, setUp } from './demo/set-up.ts';
import { clientConfiguration, type DemoMcp, startDemoMcp } from './demo-mcp.ts';

const usage = `Usage: npm run demo [-- --free-ports]

Runs simulators, the hub and its MCP server on loopback: hub 3000, MCP 3001, vendor_a 2221, vendor_b 2222, OIDC issuer
4000, threat feeds 4010, chat workspace 4020, AI providers 4030, mesh access point 4050, UPS 6547; an MQTT broker and a trapper listener on
any free ports. Nothing beyond this machine is contacted. docs/demo.md says what there is to see.

Options
  --free-ports  take any free ports instead
  --help        this text
`;

/** Both routers see this flow: the connection that shows two ids in observedBy. */
const shared = {
  src: homeAddress('nas-archive'),
  dst: '203.0.113.80',
  dport: 443,
  proto: 'tcp',
  everyMs: 5000,
} as const;
/** The simulated ThreatFox lists this destination. */
const listed = {
  src: homeAddress('anna-laptop'),
  dst: listedServices.ioc.addresses[0] ?? '',
  dport: 8443,
  proto: 'tcp',
  everyMs: 5000,
} as const;
const pollIntervalMs = 10_000;
/** Of both routers: what the household does by the clock is the same behind each. */
const seed = 1;

async function demo(freePorts: boolean): Promise<void> {
  const stop = stopSignal();
  const portOr = (port: number) => (freePorts ? 0 : port);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gatehouse-demo-'));
  try {
    const home = { seed, hosts: homeHosts, destinations: homeDestinations, sessions: 300, traffic: true };
    await using a = await startRouter({ kind: 'vendor_a', port: portOr(2221), ...home });
    await using b = await startRouter({ kind: 'vendor_b', port: portOr(2222), ...home });
    await using issuer = await startIssuer({ port: portOr(4000) });
    await using ups = await startUps({ port: portOr(6547), settings: { model: 'smart' } });
    // Their own ports are often taken by the real ones.
    await using broker = await startBroker();
    await using trapper = await startTrapper();
    await using feeds = await startFeeds({ port: portOr(4010) });
    await using chat = await startChat({ port: portOr(4020) });
    await using ai = await startAi({ port: portOr(4030) });
    useCredentials(ai);
    await using mesh = await startMesh({ port: portOr(4050), settings: homeMesh });
    const adminToken = createToken('', 24);
    const routers = registerRouters(dataDir, [a, b]);
    console.log('writing two weeks of history, a few seconds');
    const past = await writeHistory({ dataDir, routers, seed, now: systemClock.now() });
    console.log(`two weeks of history: ${past} connections\n`);
    await using hub = await startHub({
      dataDir,
      webFolder: webFolder(),
      host: '127.0.0.1',
      port: portOr(3000),
      version: packageVersion(),
      clock: systemClock,
      log: createLog('hub', 'warn'),
      pollIntervalMs,
      allowLoopbackRouters: true,
      threatMirror: feeds.url,
      chatApiUrl: chat.url,
      aiUrls: ai.urls,
      logPathPrefixes: [dataDir],
      initialAdminToken: adminToken,
    });
    const client = createClient(api, { baseUrl: hub.url, headers: { 'x-admin-token': adminToken } });
    const bad = a.control.flow(listed);
    for (const router of [a, b]) {
      router.control.flow(shared);
    }
    await setUp({
      hub: client,
      hubUrl: hub.url,
      routerIds: routers.map(({ id }) => id),
      resolverLog: path.join(dataDir, 'resolver.log'),
      feeds,
      chat,
      ai,
      mesh,
      issuer,
    });
    await using agent = await startDemoAgent(hub.url, client, { ...listed, sport: bad?.entry.sport ?? 0 });
    await using mcp = await startDemoMcp({ hub: hub.url, admin: client, port: portOr(3001), dataDir, stop });
    await hub.settled();
    print(hub, adminToken, { a, b, ups, broker, trapper, chat, ai, mesh, mcp, agent });
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What the default credential chain of AWS finds first: it looks at no file of the user, and asks no machine of a cloud. */
function useCredentials({ keys }: AiSimulator): void {
  setEnv({
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
  });
}

interface Devices {
  a: RouterSimulator;
  b: RouterSimulator;
  ups: UpsSimulator;
  broker: BrokerSimulator;
  trapper: Simulator<unknown>;
  chat: ChatSimulator;
  ai: AiSimulator;
  mesh: MeshSimulator;
  mcp: DemoMcp;
  agent: AgentSimulator;
}

function print({ url, newPassword }: Hub, token: string, devices: Devices): void {
  const { a, b, ups, broker, trapper, chat, ai, mesh, mcp, agent } = devices;
  const login = ({ url: at, credentials }: RouterSimulator) =>
    `ssh -p ${at.port} ${credentials.user}@${at.hostname}   password ${credentials.password}`;
  console.log(`page          ${url.origin}/   password ${newPassword}
one click     ${url.origin}/api/auth/oidc/start   the page, logged in through the simulated issuer
admin token   ${token}
ask           curl -H "X-Admin-Token: ${token}" "${url.origin}/api/connections?limit=20"
then          /api/connections?limit=20&fDst=${shared.dst}   seen by both routers
              /api/connections/threat-connections   two listed destinations
              /api/connections?limit=20&fDst=${listed.dst}   with the program that an Agent names
              /api/beacons   regular beacons
              /api/devices and /api/devices/merge-candidates   who is at home, and who may be the same twice
              /api/notification-log   what was detected and told; more in docs/demo.md
vendor_a      ${login(a)}   then: ${readableCommand}
vendor_b      ${login(b)}${b.credentials.enable ? `   enable ${b.credentials.enable}` : ''}
UPS           ${ups.url.origin}   user ${ups.credentials.user}, password ${ups.credentials.password}
MQTT          ${broker.url.href}   TLS ${broker.tlsUrl.href}
trapper       ${trapper.url.href}
Agent         ${agent.control.agents[0]?.hostName} on anna-laptop; /api/agents
chat          ${chat.url.href}   mesh ${mesh.url.href}
AI            ${ai.urls.local}   chosen; keys: Anthropic ${ai.keys.cloud_a}, OpenAI ${ai.keys.cloud_b}
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
