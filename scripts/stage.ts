// A staged publication on loopback, with simulators for all that is not ours: TLS proxy, issuer, name server, router;
// hub and MCP server as they run in production. For `npm run demo:gate` and the tests of the gate.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Api, api } from '#contract/index.ts';
import { type Hub, startHub } from '#hub/start/hub.ts';
import { writeText } from '#kernel/files/files.ts';
import { type Client, createClient } from '#kernel/http/client.ts';
import { freePort } from '#kernel/http/listening.ts';
import { createLog } from '#kernel/process/log.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { createToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type NameServer, startNameServer } from '#simulators/dns/name-server.ts';
import { type Edge, startEdge } from '#simulators/edge/edge.ts';
import { type IssuerOptions, type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { defaultUsers } from '#simulators/oidc/users.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type Authority, createAuthority } from '#simulators/support/certificates.ts';
import { type ConnectionRoute, routeConnections } from '#simulators/support/connection-routes.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { envText } from './env-text.ts';
import { createMcpServer } from './stage-mcp.ts';
import { limitClients, limitUsers, otherClient, type TokenSource, takeTokens } from './stage-tokens.ts';

export const stagedName = 'mcp.gatehouse.test';
export const stagedOperator = 'Demo Operator';
export const stagedCommit = '0123456789abcdef0123456789abcdef01234567';

/** A regional user pool, as the profile cloud_idp asks for: its name leads to the simulated issuer. */
const userPool = { host: 'cognito-idp.eu-central-1.amazonaws.com', path: '/eu-central-1_gatehouse' };

export interface StageOptions {
  /** `strict` when absent. Under `cloud_idp` connections of this process to the user pool go to the simulator. */
  profile?: 'strict' | 'cloud_idp';
  issuer?: Pick<IssuerOptions, 'replayMode' | 'accessTokenTtlMs'>;
  /** Settings of the MCP server over those of the stage. */
  mcp?: Readonly<Record<string, string>>;
  progress?: (text: string) => void;
}

export interface Stage extends AsyncDisposable {
  readonly folder: string;
  /** The CA that the gate trusts here. */
  readonly authority: Authority;
  readonly edge: Edge;
  readonly issuer: IssuerSimulator;
  readonly dns: NameServer;
  readonly router: RouterSimulator;
  readonly hub: Hub;
  readonly admin: Client<Api>;
  /** Private environment files of the gate and of the MCP server, and the evidence they name. */
  readonly gateEnv: string;
  readonly mcpEnv: string;
  readonly evidence: string;
  readonly report: string;
  /** Settings of the gate; changing them rewrites its file. */
  readonly settings: Readonly<Record<string, string>>;
  set(changes: Readonly<Record<string, string>>): void;
  unset(name: string): void;
  /** For more tokens of the same kinds. */
  readonly tokenSource: TokenSource;
  /** Ends the MCP server and starts it again, with `changes` over its settings: its rate buckets are empty then. */
  restartMcp(changes?: Readonly<Record<string, string>>): Promise<void>;
}

/** A name that the name server of the stage knows. */
const controlName = 'control.gatehouse.test';
const pollIntervalMs = 10_000;
const scopes = { read: 'network.read', write: 'notes.write' };

/** Starts everything, signs in for the tokens of the gate, and writes its private files. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const { profile = 'strict', issuer: issuerOptions = {}, progress = () => {} } = options;
  const stack = new AsyncDisposableStack();
  try {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-stage-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string) => path.join(folder, name);
    progress('certificates of a test CA');
    const authority = await createAuthority();
    writeText(file('ca.pem'), authority.cert);
    const clock = createShiftedClock();
    const edge = stack.use(
      await startEdge({
        certificate: await authority.issue([stagedName]),
        otherCertificate: await authority.issue(['other.gatehouse.test']),
      }),
    );
    const issuer = stack.use(await startStagedIssuer(authority, { ...issuerOptions, clock, profile }));
    const routes = poolRoutes(profile, issuer);
    for (const route of routes) {
      stack.use(routeConnections(route));
    }
    const dns = stack.use(await startNameServer({ zone: { [controlName]: { A: ['192.0.2.53'] } } }));
    progress('a router and the hub');
    const router = stack.use(await startRouter('vendor_a', { sessions: 50, traffic: true }));
    const adminToken = createToken('', 24);
    const hub = stack.use(await startStagedHub(file('data'), adminToken));
    const admin = createClient(api, { baseUrl: hub.url, headers: { 'x-admin-token': adminToken } });
    await addRouter(admin, router);
    await hub.settled();
    progress('the MCP server behind the TLS proxy');
    const resource = `https://${stagedName}:${edge.url.port}/mcp`;
    const { token } = await admin.auth.createIdentity({
      body: { label: 'mcp', permissions: ['network.read', 'notes.write'], expiresInMs: 86_400_000 },
    });
    const port = String(await freePort());
    const oauth = { profile, issuer: issuer.issuer, resource };
    const mcpSettings = {
      MONITOR_URL: hub.url.origin,
      MCP_PORT: port,
      MCP_SERVICE_TOKEN: token,
      MCP_AUDIT_DB_PATH: file('mcp-audit.db'),
      ...mcpOAuthSettings(oauth),
      ...options.mcp,
    };
    const server = createMcpServer({ envFile: file('mcp.env'), caFile: file('ca.pem'), edge, routes });
    stack.use(server);
    const restartMcp = (changes: Readonly<Record<string, string>> = {}) => server.start({ ...mcpSettings, ...changes });
    await restartMcp();
    progress('tokens of the issuer');
    const { accessTokenTtlMs: lifetimeMs = 600_000 } = issuerOptions;
    const tokenSource = { issuer, clock, resource, scopes, ca: authority.cert, lifetimeMs };
    const gate = createGateSettings(file('gate.env'), {
      ...gateTargetSettings(oauth),
      MCP_GATE_EVIDENCE_PATH: file('evidence.json'),
      MCP_GATE_REPORT_PATH: file('report.json'),
      MCP_GATE_AUDIT_DB_PATH: file('mcp-audit.db'),
      MCP_GATE_MONITOR_URL: hub.url.origin,
      MCP_GATE_MONITOR_TOKEN: adminToken,
      MCP_GATE_MCP_PORT: port,
      MCP_GATE_CA_PATH: file('ca.pem'),
      MCP_GATE_DNS_SERVER: dns.server,
      ...(await takeTokens(tokenSource)),
    });
    return {
      folder,
      authority,
      edge,
      issuer,
      dns,
      router,
      hub,
      admin,
      gateEnv: file('gate.env'),
      mcpEnv: file('mcp.env'),
      evidence: file('evidence.json'),
      report: file('report.json'),
      get settings() {
        return gate.settings();
      },
      set: gate.set,
      unset: gate.unset,
      tokenSource,
      restartMcp,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The simulated issuer, with the people and clients that the collectors of the gate need. */
async function startStagedIssuer(authority: Authority, options: IssuerOptions): Promise<IssuerSimulator> {
  const third = {
    sub: limitUsers[1],
    email: 'third@example.net',
    emailVerified: true,
    name: 'Tom Third',
    password: 'third-password',
  };
  return startIssuer({
    ...options,
    certificate: await authority.issue(['127.0.0.1', 'localhost', userPool.host]),
    ...(options.profile === 'cloud_idp' ? { issuer: `https://${userPool.host}${userPool.path}` } : {}),
    users: [...defaultUsers, third],
    clients: [
      otherClient,
      ...limitClients.map((id) => ({
        id,
        secret: null,
        kind: 'native' as const,
        refresh: false,
        redirectUris: ['http://127.0.0.1/callback'],
      })),
    ],
  });
}

/** Under `cloud_idp`, redirects connections to the user pool to the simulator; otherwise no route. */
function poolRoutes(profile: StageOptions['profile'], { url }: IssuerSimulator): ConnectionRoute[] {
  return profile === 'cloud_idp'
    ? [{ host: userPool.host, port: 443, to: { address: '127.0.0.1', port: Number(url.port) } }]
    : [];
}

function startStagedHub(dataDir: string, initialAdminToken: string): Promise<Hub> {
  return startHub({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    version: packageVersion(),
    commit: stagedCommit,
    clock: systemClock,
    log: createLog('hub', 'error'),
    threatFeeds: false,
    pollIntervalMs,
    allowLoopbackRouters: true,
    initialAdminToken,
  });
}

interface OAuthTarget {
  profile: string;
  issuer: string;
  /** Address of the MCP endpoint. */
  resource: string;
}

function mcpOAuthSettings({ profile, issuer, resource }: OAuthTarget) {
  return {
    MONITOR_DEPLOYMENT_PROFILE: 'public-oauth',
    MCP_AUTH_MODE: 'oauth',
    MCP_OAUTH_ISSUER: issuer,
    MCP_OAUTH_COMPATIBILITY_PROFILE: profile,
    MCP_OAUTH_RESOURCE: resource,
    MCP_OAUTH_READ_SCOPE: scopes.read,
    MCP_OAUTH_NOTES_WRITE_SCOPE: scopes.write,
    MCP_AUDIT_HMAC_KEY: createToken('', 32),
    MCP_TRUST_PROXY: '127.0.0.1',
    GATEHOUSE_COMMIT: stagedCommit,
  };
}

function gateTargetSettings({ profile, issuer, resource }: OAuthTarget) {
  return {
    MCP_GATE_ENDPOINT: resource,
    MCP_GATE_RESOURCE: resource,
    MCP_GATE_ISSUER: issuer,
    MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: profile,
    MCP_GATE_CONNECT_ADDRESS: '127.0.0.1',
    MCP_GATE_READ_SCOPE: scopes.read,
    MCP_GATE_WRITE_SCOPE: scopes.write,
    MCP_GATE_DEPLOYED_COMMIT: stagedCommit,
    MCP_GATE_OPERATOR: stagedOperator,
    MCP_GATE_DNS_CONTROL_NAME: controlName,
  };
}

/** The settings of the gate. Every change rewrites `file`. */
function createGateSettings(file: string, first: Readonly<Record<string, string>>) {
  let settings = first;
  const write = (next: Readonly<Record<string, string>>) => {
    settings = next;
    writeText(file, envText(settings));
  };
  write(first);
  return {
    settings: () => settings,
    set: (changes: Readonly<Record<string, string>>) => write({ ...settings, ...changes }),
    unset: (name: string) => write(Object.fromEntries(Object.entries(settings).filter(([one]) => one !== name))),
  };
}

/** Adds the simulated router to a hub. */
export async function addRouter(hub: Client<Api>, { url, credentials, settings }: RouterSimulator): Promise<void> {
  await hub.routers.create({
    body: {
      kind: 'vendor_a',
      displayName: 'Yamaha RTX (simulated)',
      ip: url.hostname,
      port: Number(url.port),
      user: credentials.user,
      pass: credentials.password,
      nat: String(settings.natDescriptor),
    },
  });
}
