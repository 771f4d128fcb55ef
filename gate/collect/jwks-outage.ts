// Collector: tests an outage of the issuer's key set. A cold MCP process must refuse all requests during the outage and
// serve after it, while the hub continues to record.
import { limits } from '#contract/limits.ts';
import { hubAddress } from '../config.ts';
import { toMembers } from '../json.ts';
import { modern } from '../mcp-messages.ts';
import { GateError } from '../private-file.ts';
import { stagedTarget } from '../staged-target.ts';
import { createHttp, type Http } from '../target.ts';
import type { CollectContext, Collector } from './collector.ts';
import { type McpProcess, mcpEnvHelp, mcpEnvOption, requireMcpEnvFile, startMcpProcess } from './mcp-process.ts';

const patienceMs = 600_000;
const betweenMs = 2000;
/** The endpoint fetches keys again within this time after a failure. */
const recoveryMs = limits.mcpIssuerFailureMs + limits.mcpIssuerRefreshMs;

export const jwksOutage: Collector = {
  name: 'jwks-outage',
  summary:
    'with the key set out of reach, a cold MCP process refuses a good token, and serves it after; routers are still collected',
  item: 'jwksOutage',
  options: mcpEnvOption,
  help: mcpEnvHelp,
  async run(context) {
    const { config, ca, signal, transcript } = context;
    const envFile = requireMcpEnvFile(context);
    await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal });
    await requireGoodToken(context);
    await waitUntilKeysAreGone(http, context);
    const before = await readCollection(http, context);
    await using cold = await startMcpProcess(envFile, context);
    const answer = await http.ask('cold', cold.url, { ...modern('tools/list'), token: config.MCP_GATE_READ_TOKEN });
    transcript.add('asked a cold process with a good token', `answer ${answer.status}`);
    const after = await waitUntilCollected(http, before, context);
    const isStillGone = !(await areKeysServed(http, context));
    transcript.add('looked at the key set again', isStillGone ? 'still out of reach' : 'it is back');
    const found = { ...(await readHealth(http, context)), ...after };
    transcript.add('looked at the hub', JSON.stringify(found));
    await waitUntilKeysAreBack(http, context);
    const later = await waitUntilServed(http, cold, context);
    transcript.add('asked the same process again', `answer ${later}`);
    if (later !== 200) {
      // Throws when the token has expired meanwhile.
      await requireGoodToken(context);
    }
    return {
      fields: { coldProcess: true, mcpFailedClosed: answer.status === 401 && later === 200, ...found },
      objections: [
        ...(isStillGone ? [] : ['the key set was back before the end of the experiment']),
        ...(later === 200 ? [] : ['the process refuses the good token also with the key set in reach']),
      ],
    };
  },
};

/** An invalid token is refused without any outage and proves nothing. */
async function requireGoodToken(context: CollectContext): Promise<void> {
  const { config, ca, signal, transcript } = context;
  const [pinned] = await stagedTarget(context);
  await using staged = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal }, pinned);
  const { status } = await staged.ask('warm', config.MCP_GATE_ENDPOINT.url, {
    ...modern('tools/list'),
    token: config.MCP_GATE_READ_TOKEN,
  });
  transcript.add('asked the staged endpoint with the same token', `answer ${status}`);
  if (status !== 200) {
    const remedy = status === 401 ? 'take a new token' : 'see that it serves, and is not busy with a burst';
    throw new GateError(`the staged endpoint answers ${status} to MCP_GATE_READ_TOKEN: ${remedy}, then run it again`);
  }
}

async function waitUntilKeysAreGone(http: Http, context: CollectContext): Promise<void> {
  const { clock, say, signal, transcript } = context;
  const giveUpAt = clock.now() + patienceMs;
  if (await areKeysServed(http, context)) {
    say('Put the key set of the issuer out of reach now (block the way from this machine to it); waiting …\n');
  }
  while (await areKeysServed(http, context)) {
    if (clock.now() > giveUpAt) {
      throw new GateError('the key set was in reach for ten minutes: put it out of reach, then run the command');
    }
    await clock.sleep(betweenMs, signal);
  }
  transcript.add('looked at the key set', 'out of reach');
}

async function waitUntilKeysAreBack(http: Http, context: CollectContext): Promise<void> {
  const { clock, say, signal, transcript } = context;
  const giveUpAt = clock.now() + patienceMs;
  say('Let the key set be reached again now; waiting …\n');
  while (!(await areKeysServed(http, context))) {
    if (clock.now() > giveUpAt) {
      throw new GateError('the key set was out of reach for ten minutes more: let it be reached, then run it again');
    }
    await clock.sleep(betweenMs, signal);
  }
  transcript.add('looked at the key set', 'in reach');
}

/** Returns 200 as soon as the endpoint serves, otherwise the last status after the retry time of the endpoint. */
async function waitUntilServed(
  http: Http,
  cold: McpProcess,
  { config, clock, signal }: CollectContext,
): Promise<number> {
  const giveUpAt = clock.now() + recoveryMs;
  for (;;) {
    const ask = { ...modern('tools/list'), token: config.MCP_GATE_READ_TOKEN };
    const { status } = await http.ask('recovered', cold.url, ask);
    if (status === 200 || clock.now() > giveUpAt) {
      return status;
    }
    await clock.sleep(betweenMs, signal);
  }
}

/** Whether the key set is reachable at the address that discovery names; false when discovery is not. */
async function areKeysServed(http: Http, { config }: CollectContext): Promise<boolean> {
  try {
    const base = config.MCP_GATE_ISSUER.replace(/\/$/, '');
    const { json } = await http.ask('discovery', new URL(`${base}/.well-known/openid-configuration`));
    const { jwks_uri: address } = toMembers(json);
    const { status } = await http.ask('jwks', new URL(String(address)));
    return status === 200;
  } catch {
    return false;
  }
}

interface Collection {
  enabled: number;
  ready: number;
  lastSuccessAt: number;
}

async function readCollection(http: Http, { config }: CollectContext): Promise<Collection> {
  const { json } = await http.ask('routers', hubAddress(config, 'api/routers'), {
    headers: { 'x-admin-token': config.MCP_GATE_MONITOR_TOKEN },
  });
  const { routers } = toMembers(json);
  const enabled = (Array.isArray(routers) ? routers : []).map(toMembers).filter((router) => router.enabled === true);
  return {
    enabled: enabled.length,
    ready: enabled.filter(({ state }) => state === 'ready').length,
    lastSuccessAt: Math.min(...enabled.map(({ lastSuccessAt }) => Number(lastSuccessAt ?? 0))),
  };
}

/** Waits until every enabled router delivered after `before`, at most the maximum router age of the gate. */
async function waitUntilCollected(http: Http, before: Collection, context: CollectContext) {
  const { clock, config, signal } = context;
  const giveUpAt = clock.now() + config.MCP_GATE_ROUTER_MAX_AGE_MS;
  for (;;) {
    const now = await readCollection(http, context);
    const isOn = now.enabled > 0 && now.lastSuccessAt > before.lastSuccessAt;
    if (isOn || clock.now() > giveUpAt) {
      return { localCollectionContinued: isOn, routerCollectionHealthy: now.enabled > 0 && now.ready === now.enabled };
    }
    await clock.sleep(betweenMs, signal);
  }
}

async function readHealth(http: Http, { config }: CollectContext) {
  const isOk = async (path: string) => (await http.ask('hub', hubAddress(config, path))).status === 200;
  return { healthz: await isOk('healthz'), readyz: await isOk('readyz') };
}
