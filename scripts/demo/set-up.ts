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
import type { AiSimulator } from '#simulators/ai/ai.ts';
import type { ChatSimulator } from '#simulators/chat/workspace.ts';
import type { FeedsSimulator } from '#simulators/feeds/feeds.ts';
import { listResolverLines } from '#simulators/home/home.ts';
import type { MeshSimulator } from '#simulators/mesh/access-point.ts';
import { hubClientId } from '#simulators/oidc/clients.ts';
import type { IssuerSimulator } from '#simulators/oidc/issuer.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';

/**
 * Puts routers into the settings of a hub that does not run yet, switched off: the history needs their ids, and nothing
 * is to be detected before the hub knows whom to tell.
 */
export function registerRouters(dataDir: string, routers: readonly RouterSimulator[]) {
  const file = path.join(dataDir, 'monitor.json');
  const document = openDocument(file, secretKey(path.join(dataDir, 'secret.key'), file));
  const registry = createRegistry({ document, clock: systemClock, allowLoopback: true });
  return routers.map(({ kind, url, credentials, control }) =>
    registry.create(
      routerCreate.parse({
        kind,
        displayName: kind === 'vendor_a' ? 'Yamaha RTX (simulated)' : 'Cisco IOS (simulated)',
        ip: url.hostname,
        port: Number(url.port),
        user: credentials.user,
        pass: credentials.password,
        enabled: false,
        ...(kind === 'vendor_a' ? { nat: String(control.settings.natDescriptor) } : {}),
        ...(kind === 'vendor_b' && credentials.enable !== null ? { enablePass: credentials.enable } : {}),
      }),
    ),
  );
}

export interface SetUp {
  hub: Client<Api>;
  hubUrl: URL;
  /** Of the routers that were registered. */
  routerIds: readonly string[];
  /** A log that the hub may follow. */
  resolverLog: string;
  feeds: FeedsSimulator;
  chat: ChatSimulator;
  ai: AiSimulator;
  mesh: MeshSimulator;
  issuer: IssuerSimulator;
}

/** Resolves when the routers are switched on. */
export async function setUp({
  hub,
  hubUrl,
  routerIds,
  resolverLog,
  feeds,
  chat,
  ai,
  mesh,
  issuer,
}: SetUp): Promise<void> {
  const { token, userId } = chat.credentials;
  await hub.chat.saveConfig({ body: { enabled: true, token, userId, displayName: 'Olga' } });
  await hub.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
  await hub.ai.saveConfig({
    body: { provider: 'local', models: { local: 'qwen3:8b' }, localEndpoint: ai.urls.local },
  });
  await followResolver(hub, resolverLog);
  await useMesh(hub, mesh);
  await useIssuer(hub, hubUrl, issuer);
  for (const id of routerIds) {
    await hub.routers.update({ params: { id }, body: { enabled: true } });
  }
  // What telephones keep open is expected; saving also looks for beacons at once instead of in five minutes.
  const { config } = await hub.beacons.config({});
  await hub.beacons.saveConfig({ body: { ...config, orgAllowlist: ['Apple', 'Google'] } });
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

async function useMesh(hub: Client<Api>, mesh: MeshSimulator): Promise<void> {
  const { user: username, password } = mesh.credentials;
  await hub.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } });
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
