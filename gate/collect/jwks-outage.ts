// The outage of the issuer's key set: a cold MCP process refuses everybody, and the hub goes on collecting.
import { hubAddress } from '../config.ts';
import { modern } from '../mcp-messages.ts';
import { GateError } from '../private-file.ts';
import { membersOf } from '../probes/context.ts';
import { createHttp, type Http } from '../target.ts';
import type { CollectContext, Collector } from './collector.ts';
import { startMcpProcess } from './mcp-process.ts';

const patienceMs = 600_000;
const betweenMs = 2000;

export const jwksOutage: Collector = {
  name: 'jwks-outage',
  summary: 'with the key set out of reach, a cold MCP process refuses a good token, and routers are still collected',
  item: 'jwksOutage',
  options: { 'mcp-env': { type: 'string' } },
  help: `  --mcp-env FILE       private environment file of the MCP server, mode 0600; a process of its own is started with it
`,
  async run(context) {
    const { options, config, ca, signal, transcript } = context;
    const envFile = options['mcp-env'];
    if (typeof envFile !== 'string') {
      throw new GateError('--mcp-env is missing: the private environment file of the MCP server');
    }
    await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal });
    await untilKeysAreGone(http, context);
    const before = await collection(http, context);
    await using cold = await startMcpProcess(envFile, context);
    const answer = await http.ask('cold', cold.url, { ...modern('tools/list'), token: config.MCP_GATE_READ_TOKEN });
    transcript.add('asked a cold process with a good token', `answer ${answer.status}`);
    const after = await untilCollected(http, before, context);
    const isStillGone = !(await keysAreThere(http, context));
    transcript.add('looked at the key set again', isStillGone ? 'still out of reach' : 'it is back');
    const found = { ...(await health(http, context)), ...after };
    transcript.add('looked at the hub', JSON.stringify(found));
    return {
      fields: { coldProcess: true, mcpFailedClosed: answer.status === 401, ...found },
      objections: isStillGone ? [] : ['the key set was back before the end of the experiment'],
    };
  },
};

async function untilKeysAreGone(http: Http, context: CollectContext): Promise<void> {
  const { clock, say, signal, transcript } = context;
  const giveUpAt = clock.now() + patienceMs;
  if (await keysAreThere(http, context)) {
    say('Put the key set of the issuer out of reach now (block the way from this machine to it); waiting …\n');
  }
  while (await keysAreThere(http, context)) {
    if (clock.now() > giveUpAt) {
      throw new GateError('the key set was in reach for ten minutes: put it out of reach, then run the command');
    }
    await clock.sleep(betweenMs, signal);
  }
  transcript.add('looked at the key set', 'out of reach');
}

/** Keys at the address that discovery names; when discovery itself is out of reach, so are they. */
async function keysAreThere(http: Http, { config }: CollectContext): Promise<boolean> {
  try {
    const base = config.MCP_GATE_ISSUER.replace(/\/$/, '');
    const { json } = await http.ask('discovery', new URL(`${base}/.well-known/openid-configuration`));
    const { jwks_uri: address } = membersOf(json);
    const { status } = await http.ask('jwks', new URL(String(address)));
    return status === 200;
  } catch (error) {
    if (error instanceof Error) {
      return false;
    }
    throw error;
  }
}

interface Collection {
  enabled: number;
  ready: number;
  lastSuccessAt: number;
}

async function collection(http: Http, { config }: CollectContext): Promise<Collection> {
  const { json } = await http.ask('routers', hubAddress(config, 'api/routers'), {
    headers: { 'x-admin-token': config.MCP_GATE_MONITOR_TOKEN },
  });
  const { routers } = membersOf(json);
  const enabled = (Array.isArray(routers) ? routers : []).map(membersOf).filter((router) => router.enabled === true);
  return {
    enabled: enabled.length,
    ready: enabled.filter(({ state }) => state === 'ready').length,
    lastSuccessAt: Math.min(...enabled.map(({ lastSuccessAt }) => Number(lastSuccessAt ?? 0))),
  };
}

/** Waits until every enabled router delivered after `before`, or for as long as the gate lets a router be silent. */
async function untilCollected(http: Http, before: Collection, context: CollectContext) {
  const { clock, config, signal } = context;
  const giveUpAt = clock.now() + config.MCP_GATE_ROUTER_MAX_AGE_MS;
  for (;;) {
    const now = await collection(http, context);
    const isOn = now.enabled > 0 && now.lastSuccessAt > before.lastSuccessAt;
    if (isOn || clock.now() > giveUpAt) {
      return { localCollectionContinued: isOn, routerCollectionHealthy: now.enabled > 0 && now.ready === now.enabled };
    }
    await clock.sleep(betweenMs, signal);
  }
}

async function health(http: Http, { config }: CollectContext) {
  const isOk = async (path: string) => (await http.ask('hub', hubAddress(config, path))).status === 200;
  return { healthz: await isOk('healthz'), readyz: await isOk('readyz') };
}
