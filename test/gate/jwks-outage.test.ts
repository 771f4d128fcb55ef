// The outage of the issuer's keys, on a clock that the test moves: what an operator is asked to do, what is written of
// it, and how long is waited. What passes is shown on the stage (test/e2e/gate-mistakes.test.ts).
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CollectContext } from '#gate/collect/collector.ts';
import { jwksOutage } from '#gate/collect/jwks-outage.ts';
import { writeText } from '#kernel/files/files.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { type ProbeLab, startProbeLab } from '../support/probe-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const put = 'Put the key set of the issuer out of reach now (block the way from this machine to it); waiting …\n';
const letIt = 'Let the key set be reached again now; waiting …\n';
const minuteMs = 60_000;

const identity = { id: '1', label: 'mcp', permissions: ['network.read', 'notes.write'], expiresAt: 4_102_444_800_000 };
/** What the hub answers with. */
const hub = { routers: [] as unknown[], readyz: 200, asked: 0 };
const opened = new AsyncDisposableStack();
let lab: ProbeLab;
let issuer: IssuerSimulator;
let hubUrl: string;
let folder: string;
beforeAll(async () => {
  lab = opened.use(await startProbeLab());
  folder = opened.use(temporaryFolder()).path;
  issuer = opened.use(await startIssuer({ certificate: await lab.authority.issue(['127.0.0.1']) }));
  writeText(path.join(folder, 'ca.pem'), lab.authority.cert);
  const server = createServer(({ url }, response) => {
    const paths: Readonly<Record<string, () => [number, unknown]>> = {
      '/api/routers': () => {
        hub.asked += 1;
        return [200, { routers: hub.routers }];
      },
      '/healthz': () => [200, {}],
      '/api/auth/api-identities/self': () => [200, { identity }],
      '/readyz': () => [hub.readyz, {}],
    };
    const [status, body] = paths[url ?? '']?.() ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  hubUrl = `http://${await listen(server)}`;
  opened.defer(() => close(server));
  writeText(path.join(folder, 'mcp.env'), mcpEnv());
});
afterAll(() => opened.disposeAsync());
beforeEach(() => {
  issuer.clearFaults();
  lab.answers(() => ({ status: 200 }));
  Object.assign(hub, { routers: [], readyz: 200, asked: 0 });
});

/** Of a real MCP server, which takes no token of anybody here. */
function mcpEnv(): string {
  return `MONITOR_DEPLOYMENT_PROFILE=public-oauth
MONITOR_URL=${hubUrl}
MCP_PORT=1
MCP_AUTH_MODE=oauth
MCP_OAUTH_ISSUER=${issuer.issuer}
MCP_OAUTH_RESOURCE=https://mcp.gatehouse.test/mcp
MCP_OAUTH_READ_SCOPE=network.read
MCP_OAUTH_NOTES_WRITE_SCOPE=notes.write
MCP_SERVICE_TOKEN=svc_${'0'.repeat(64)}
MCP_AUDIT_HMAC_KEY=${'k'.repeat(48)}
MCP_AUDIT_DB_PATH=/nowhere/audit.db
MCP_TRUST_PROXY=127.0.0.1
GATEHOUSE_COMMIT=${'0'.repeat(40)}
`;
}

/** The experiment; each pause between two looks moves its clock on by a minute. `asked`: what the operator does. */
async function collect(asked: (text: string) => void, settings: Record<string, string> = {}) {
  const stop = new AbortController();
  const said: string[] = [];
  const startedAt = systemClock.now();
  let now = startedAt;
  const config = {
    MCP_GATE_ISSUER: issuer.issuer,
    MCP_GATE_MONITOR_URL: hubUrl,
    MCP_GATE_CA_PATH: path.join(folder, 'ca.pem'),
    ...settings,
  };
  const context: CollectContext = {
    ...lab.collecting(config, { 'mcp-env': path.join(folder, 'mcp.env') }),
    signal: stop.signal,
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep(ms, signal) {
        if (ms === 2000) {
          now += minuteMs;
        }
        if (now - startedAt > 60 * minuteMs) {
          stop.abort(new Error('this is waited for without an end'));
        }
        return systemClock.sleep(ms === 2000 ? 1 : ms, signal);
      },
    },
    say(text) {
      said.push(text);
      asked(text);
    },
  };
  const outcome = await jwksOutage.run(context).catch((error: Error) => error.message);
  const steps = context.transcript.steps.map(({ did, saw }) => [did, saw]);
  return { outcome, steps, said, minutes: (now - startedAt) / minuteMs };
}

const warm = ['asked the staged endpoint with the same token', 'answer 200'];
const outage = (text: string) => (text === put ? issuer.fail('jwks-down') : issuer.clearFaults());

test('keys that stay in reach are waited for, ten minutes', async () => {
  const { outcome, steps, said, minutes } = await collect(() => {});
  expect(outcome).toBe('the key set was in reach for ten minutes: put it out of reach, then run the command');
  expect(said).toEqual([put]);
  expect(steps).toEqual([warm]);
  expect(minutes).toBe(11);
});

test('keys that stay out of reach are waited for, ten minutes; who made the outage before is not asked to', async () => {
  issuer.fail('jwks-down');
  const { outcome, said, steps } = await collect(() => {});
  expect(outcome).toBe('the key set was out of reach for ten minutes more: let it be reached, then run it again');
  expect(said).toEqual([letIt]);
  expect(steps).toContainEqual(['looked at the key set', 'out of reach']);
  expect(steps).not.toContainEqual(['looked at the key set', 'in reach']);
});

const router = { enabled: true, state: 'ready' };
const off = { enabled: false, state: 'error', lastSuccessAt: null };

test.each([
  [
    'a hub that goes on',
    [1],
    200,
    { healthz: true, readyz: true, localCollectionContinued: true, routerCollectionHealthy: true },
  ],
  [
    'a router of two that stands still',
    [1, 0],
    503,
    { healthz: true, readyz: false, localCollectionContinued: false, routerCollectionHealthy: true },
  ],
] as const)('%s, and a process that refuses the token also afterwards', async (_what, steps, readyz, found) => {
  hub.readyz = readyz;
  Object.defineProperty(hub, 'routers', {
    configurable: true,
    get: () => [...steps.map((step) => ({ ...router, lastSuccessAt: 1000 + step * hub.asked })), off],
  });
  const seen = await collect(outage, { MCP_GATE_ROUTER_MAX_AGE_MS: '120000' });
  Object.defineProperty(hub, 'routers', { configurable: true, writable: true, value: [] });
  expect(seen.said).toEqual([put, letIt]);
  expect(seen.outcome).toEqual({
    fields: { coldProcess: true, mcpFailedClosed: false, ...found },
    objections: ['the process refuses the good token also with the key set in reach'],
  });
  expect(seen.steps).toEqual([
    warm,
    ['looked at the key set', 'out of reach'],
    ['started an MCP process', `built from ${'0'.repeat(40)}`],
    ['asked a cold process with a good token', 'answer 401'],
    ['looked at the key set again', 'still out of reach'],
    [
      'looked at the hub',
      JSON.stringify({
        healthz: found.healthz,
        readyz: found.readyz,
        localCollectionContinued: found.localCollectionContinued,
        routerCollectionHealthy: found.routerCollectionHealthy,
      }),
    ],
    ['looked at the key set', 'in reach'],
    ['asked the same process again', 'answer 401'],
    warm,
  ]);
});
