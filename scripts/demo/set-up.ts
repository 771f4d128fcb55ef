// Sets the demo's hub up as an operator would: routers, logs, threat feeds, chat, mesh, sign-in.
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Api } from '#contract/index.ts';
import { routerCreate } from '#contract/routers.ts';
import { openDocument } from '#hub/base/settings/document.ts';
import { secretKey } from '#hub/base/settings/secret-key.ts';
import { createRegistry } from '#hub/collect/routers/registry.ts';
import type { Client } from '#kernel/http/client.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { AgentControl } from '#simulators/agent/control.ts';
import { listResolverLines } from '#simulators/home/home.ts';
import type { World, WorldLines } from './world.ts';

/**
 * Puts routers into the settings of a hub that does not run yet, switched off: the history needs their ids, and nothing
 * is to be detected before the hub knows whom to tell.
 */
export function registerRouters(dataDir: string, lines: WorldLines) {
  const file = path.join(dataDir, 'monitor.json');
  const document = openDocument(file, secretKey(path.join(dataDir, 'secret.key'), file));
  const registry = createRegistry({ document, clock: systemClock, allowLoopback: true });
  const { 'vendor-a': a, 'vendor-b': b } = lines;
  const nat = String(a.natDescriptor);
  const enablePass = b.enablePassword ?? '';
  const rest = ({ url, user, password }: typeof a | typeof b) => {
    const { hostname: ip, port } = new URL(url);
    return { ip, port: Number(port), user, pass: password, enabled: false };
  };
  return [
    { kind: 'vendor_a', displayName: 'Yamaha RTX (simulated)', nat, ...rest(a) },
    { kind: 'vendor_b', displayName: 'Cisco IOS (simulated)', enablePass, ...rest(b) },
  ].map((router) => registry.create(routerCreate.parse(router)));
}

export interface SetUp {
  hub: Client<Api>;
  hubUrl: URL;
  /** Of the routers that were registered. */
  routerIds: readonly string[];
  /** A log that the hub may follow. */
  resolverLog: string;
  world: World;
}

/** Resolves when the routers are switched on and the Agent is approved. */
export async function setUp({ hub, hubUrl, routerIds, resolverLog, world }: SetUp): Promise<void> {
  const { chat, feeds, ai, mesh } = world.lines;
  const { token, userId } = chat;
  await hub.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
  await hub.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
  await hub.ai.saveConfig({ body: { provider: 'local', models: { local: 'qwen3:8b' }, localEndpoint: ai.local } });
  await followResolver(hub, resolverLog);
  await useMesh(hub, mesh);
  await useIssuer(hub, hubUrl, world);
  for (const id of routerIds) {
    await hub.routers.update({ params: { id }, body: { enabled: true } });
  }
  // What telephones keep open is expected; saving also looks for beacons at once instead of in five minutes.
  const { config } = await hub.beacons.config({});
  await hub.beacons.saveConfig({ body: { ...config, orgAllowlist: ['Apple', 'Google'] } });
  await enrolAgent(hub, world.agent);
}

/** The log tells the names that the household asked for; it is read from its end, so it is written when it is followed. */
async function followResolver(hub: Client<Api>, resolverLog: string): Promise<void> {
  writeFileSync(resolverLog, '', { mode: 0o600 });
  await hub.config.saveDataSources({ body: { dns: { enabled: true, logFile: resolverLog } } });
  await dnsLog(hub, ({ state }) => state === 'following');
  const lines = listResolverLines();
  appendFileSync(resolverLog, `${lines.join('\n')}\n`);
  await dnsLog(hub, (dns) => dns.lines >= lines.length);
}

type DnsLog = Awaited<ReturnType<Client<Api>['config']['dataSources']>>['dns'];

/** Resolves when the followed log is in this state; after ten seconds in any other, the demo goes on without. */
async function dnsLog(hub: Client<Api>, isReached: (dns: DnsLog) => boolean): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const { dns } = await hub.config.dataSources({});
    if (isReached(dns)) {
      return;
    }
    await systemClock.sleep(100);
  }
}

async function useMesh(hub: Client<Api>, { url, user: username, password }: WorldLines['mesh']): Promise<void> {
  await hub.routers.setUp({ body: { doMesh: true, routerIp: new URL(url).host, username, password } });
}

/** Browser login through the simulated issuer, for the user it signs in by itself. */
async function useIssuer(hub: Client<Api>, url: URL, { issuer, lines }: World): Promise<void> {
  const { url: address, user, clientId, clientSecret } = lines.issuer;
  issuer.patch({ redirectUris: { [clientId]: [new URL('/api/auth/oidc/callback', url).href] } });
  await hub.auth.saveSecurityConfig({
    body: { enabled: true, issuer: address, clientId, clientSecret, allowedEmails: [user], allowedDomains: [] },
  });
}

/** Makes a code, applies with it and approves, as the owner of the network would. */
async function enrolAgent(hub: Client<Api>, agent: AgentControl): Promise<void> {
  const { code } = await hub.agents.createCode({ body: {} });
  const { requestId } = await agent.enroll(code);
  await hub.agents.approve({ params: { requestId: requestId ?? '' }, body: {} });
}
