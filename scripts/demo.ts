// `npm run demo`: two routers with moving traffic, an OIDC issuer, a UPS with what reads it, a hub and its MCP server, until
// Ctrl-C.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Api, api } from '#contract/index.ts';
import { type Hub, startHub } from '#hub/hub.ts';
import { systemClock } from '#kernel/clock.ts';
import { messageOf } from '#kernel/errors.ts';
import { type Client, createClient } from '#kernel/http/client.ts';
import { createLog } from '#kernel/log.ts';
import { createToken } from '#kernel/secret.ts';
import { stopSignal } from '#kernel/stop-signal.ts';
import { packageVersion } from '#kernel/version.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { type BrokerSimulator, startBroker } from '#simulators/mqtt/broker.ts';
import { hubClientId } from '#simulators/oidc/clients.ts';
import { type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { type RouterSimulator, startRouter } from '#simulators/router/router.ts';
import type { Simulator } from '#simulators/simulator.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import { startUps, type UpsSimulator } from '#simulators/ups/ups.ts';
import { clientConfiguration, type DemoMcp, startDemoMcp } from './demo-mcp.ts';

const usage = `Usage: npm run demo [-- --free-ports]

Runs simulators, the hub and its MCP server on loopback: hub 3000, MCP 3001, vendor_a 2221, vendor_b 2222, OIDC issuer
4000, UPS 6547; an MQTT broker and a trapper listener on any free ports.

Options
  --free-ports  take any free ports instead
  --help        this text
`;

/** Both routers see this flow: the connection that shows two ids in observedBy. */
const shared = { src: '192.168.100.2', dst: '203.0.113.80', dport: 443, proto: 'tcp', everyMs: 5000 } as const;
/** The simulated ThreatFox lists this destination. */
const listed = { src: '192.168.100.3', dst: '203.0.113.77', dport: 8443, proto: 'tcp', everyMs: 5000 } as const;
const pollIntervalMs = 10_000;

async function demo(freePorts: boolean): Promise<void> {
  const stop = stopSignal();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gatehouse-demo-'));
  try {
    await using a = await startRouter({
      kind: 'vendor_a',
      port: freePorts ? 0 : 2221,
      sessions: 300,
      seed: 1,
      traffic: true,
    });
    await using b = await startRouter({
      kind: 'vendor_b',
      port: freePorts ? 0 : 2222,
      sessions: 300,
      seed: 2,
      traffic: true,
    });
    await using issuer = await startIssuer({ port: freePorts ? 0 : 4000 });
    await using ups = await startUps({ port: freePorts ? 0 : 6547, settings: { model: 'smart' } });
    // Their own ports are often taken by the real ones.
    await using broker = await startBroker();
    await using trapper = await startTrapper();
    await using feeds = await startFeeds({ port: freePorts ? 0 : 4010 });
    const adminToken = createToken('', 24);
    await using hub = await startHub({
      dataDir,
      host: '127.0.0.1',
      port: freePorts ? 0 : 3000,
      version: packageVersion(),
      clock: systemClock,
      log: createLog('hub', 'warn'),
      pollIntervalMs,
      allowLoopbackRouters: true,
      threatMirror: feeds.url,
      initialAdminToken: adminToken,
    });
    const client = createClient(api, { baseUrl: hub.url, headers: { 'x-admin-token': adminToken } });
    await client.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
    a.control.flow(listed);
    await addRouters(client, { a, b });
    await useIssuer(client, hub.url, issuer);
    await using mcp = await startDemoMcp({
      hub: hub.url,
      admin: client,
      port: freePorts ? 0 : 3001,
      dataDir,
      stop,
    });
    await hub.settled();
    print(hub, adminToken, { a, b, ups, broker, trapper, mcp });
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function addRouters(hub: Client<Api>, { a, b }: Record<'a' | 'b', RouterSimulator>): Promise<void> {
  for (const simulator of [a, b]) {
    simulator.control.flow(shared);
    const { kind, credentials, control } = simulator;
    await hub.routers.create({
      body: {
        kind,
        displayName: kind === 'vendor_a' ? 'Yamaha RTX (simulated)' : 'Cisco IOS (simulated)',
        ip: simulator.url.hostname,
        port: Number(simulator.url.port),
        user: credentials.user,
        pass: credentials.password,
        ...(kind === 'vendor_a' ? { nat: String(control.settings.natDescriptor) } : {}),
        ...(kind === 'vendor_b' && credentials.enable !== null ? { enablePass: credentials.enable } : {}),
      },
    });
  }
}

/** Browser login through the simulated issuer, for the user it signs in by itself. */
async function useIssuer(hub: Client<Api>, url: URL, issuer: IssuerSimulator): Promise<void> {
  const client = issuer.clients.find(({ id }) => id === hubClientId);
  const [user] = issuer.control.users;
  issuer.control.setRedirectUris(hubClientId, [new URL('/api/auth/oidc/callback', url).href]);
  await hub.auth.saveSecurityConfig({
    body: {
      enabled: true,
      issuer: issuer.issuer,
      clientId: hubClientId,
      clientSecret: client?.secret ?? '',
      allowedEmails: user ? [user.email] : [],
      allowedDomains: [],
    },
  });
}

interface Devices {
  a: RouterSimulator;
  b: RouterSimulator;
  ups: UpsSimulator;
  broker: BrokerSimulator;
  trapper: Simulator<unknown>;
  mcp: DemoMcp;
}

function print({ url, newPassword }: Hub, token: string, { a, b, ups, broker, trapper, mcp }: Devices): void {
  const login = ({ url: at, credentials }: RouterSimulator) =>
    `ssh -p ${at.port} ${credentials.user}@${at.hostname}   password ${credentials.password}`;
  console.log(`
admin token   ${token}
password      ${newPassword}   (POST ${url.origin}/api/auth/login)
browser       ${url.origin}/api/auth/oidc/start   signs in through the simulated issuer
routers       curl -H "X-Admin-Token: ${token}" ${url.origin}/api/routers
connections   curl -H "X-Admin-Token: ${token}" "${url.origin}/api/connections?limit=20"
seen by both  curl -H "X-Admin-Token: ${token}" "${url.origin}/api/connections?limit=20&fDst=${shared.dst}"
threats       curl -H "X-Admin-Token: ${token}" ${url.origin}/api/connections/threat-connections
vendor_a      ${login(a)}
vendor_b      ${login(b)}${b.credentials.enable ? `   enable ${b.credentials.enable}` : ''}
UPS           ${ups.url.origin}   user ${ups.credentials.user}, password ${ups.credentials.password}
MQTT          ${broker.url.href}   TLS ${broker.tlsUrl.href}
trapper       ${trapper.url.href}
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
