// Creates the context of the probes. Connections are opened on first use and closed with the run.
import type { Clock } from '#kernel/time/clock.ts';
import type { GateConfig } from '../config.ts';
import { callTool } from '../mcp-messages.ts';
import { askPublicDns } from '../public-dns.ts';
import { type Answer, type Ask, createHttp, type Http, resolveTarget } from '../target.ts';
import { parseRetryAfter } from './answer-headers.ts';
import type { ProbeContext } from './context.ts';
import { createForger } from './forgeries.ts';
import { type IssuerView, readIssuer } from './issuer-discovery.ts';
import { findAddresses } from './own-addresses.ts';
import { inspectServer } from './server-view.ts';
import { createSessions } from './sessions.ts';
import { burstWithTokens } from './token-burst.ts';

export interface ProbeInput {
  config: GateConfig;
  clock: Clock;
  ca: string | undefined;
  signal: AbortSignal | undefined;
  onBurst: (sent: number, of: number) => void;
  /** Called at the end when so many sessions of the server may still be open: it did not answer to their end. */
  onSessionsLeft?: ((sessions: number) => void) | undefined;
}

/** A tool of Gatehouse that only reads and needs no argument. */
const readTool = 'get_devices';

export function createProbeContext(
  { config, clock, ca, signal, onBurst, onSessionsLeft }: ProbeInput,
  stack: AsyncDisposableStack,
): ProbeContext {
  const options = { timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal };
  const { url: endpoint } = config.MCP_GATE_ENDPOINT;
  const publication = once(() => askPublicDns({ config, clock, signal }));
  const addresses = once(async () => {
    if ((await publication()).state !== 'absent') {
      throw Object.assign(new Error('the name is published, or may be'), { code: 'NAME_PUBLISHED' });
    }
    return resolveTarget(config.MCP_GATE_CONNECT_ADDRESS);
  });
  const sessions = createSessions(signal);
  const targets = once(async () => {
    const opened = (await addresses()).map((one) => sessions.watch(stack.use(createHttp(options, one))));
    // Runs before the connections are closed. A run without a burst has ended no session until then.
    stack.defer(async () => {
      const left = await sessions.end();
      if (left > 0) {
        onSessionsLeft?.(left);
      }
    });
    return opened;
  });
  const target = async () => {
    const [first] = await targets();
    if (!first) {
      throw Object.assign(new Error('the target has no address'), { code: 'ENOTFOUND' });
    }
    return first;
  };
  const place = once(async () => {
    const [first] = await addresses();
    return findAddresses(first?.address ?? '', Number(endpoint.port || 443), config.MCP_GATE_TIMEOUT_MS);
  });
  const elsewhere = once(async () => {
    const [first] = await addresses();
    const { other } = await place();
    return other === null ? null : stack.use(createHttp({ ...options, localAddress: other }, first));
  });
  const others: Http = stack.use(createHttp(options));
  const issuer = once<IssuerView>(() => readIssuer(others, config.MCP_GATE_ISSUER));
  const asked = (name: string, ask: () => Promise<Answer>) => retryAfterLimit(ask, { name, clock, signal });
  const mcp = (name: string, ask: Ask) => asked(name, async () => (await target()).ask(name, endpoint, ask));
  const context: ProbeContext = {
    config,
    now: () => clock.now(),
    mcp,
    mcpFromElsewhere: async (name, ask) => (await elsewhere())?.ask(name, endpoint, ask) ?? null,
    async ownAddresses() {
      const { own, other } = await place();
      return [own, ...(other === null ? [] : [other])];
    },
    path: async (name, path) => (await target()).ask(name, new URL(path, endpoint)),
    async everywhere(name, ask) {
      const [url, what] = typeof ask === 'string' ? [new URL(ask, endpoint)] : [endpoint, ask];
      return Promise.all((await targets()).map((one) => asked(name, () => one.ask(name, url, what))));
    },
    readTool,
    server: once(() => inspectServer((name, ask) => mcp(name, { ...ask, token: config.MCP_GATE_READ_TOKEN }))),
    endSessions: () => sessions.end(),
    agreeing: once(() => mcp('agreeing', { ...callTool(readTool, {}), token: config.MCP_GATE_READ_TOKEN })),
    publication,
    addresses,
    ca,
    hub: others,
    issuer,
    forger: once(async () => createForger(config.MCP_GATE_READ_TOKEN, (await issuer()).keys.keys)),
    limitsShown: once(() => burstWithTokens(context)),
    sent: new Map(),
    seen: { enabledRouters: 0, endpointVersion: '' },
    onBurst,
  };
  return context;
}

/** Rate limits have windows of one minute. */
const maxRetryAfterSeconds = 60;

/**
 * Asks again after a 429: an earlier run, or a collector, has spent the allowance of this minute. What begins with
 * `burst` is asked once.
 */
export async function retryAfterLimit(
  ask: () => Promise<Answer>,
  { name, clock, signal }: { name: string; clock: Clock; signal: AbortSignal | undefined },
): Promise<Answer> {
  const answer = await ask();
  const seconds = name.startsWith('burst') || answer.status !== 429 ? null : parseRetryAfter(answer);
  if (seconds === null || seconds > maxRetryAfterSeconds) {
    return answer;
  }
  await clock.sleep(seconds * 1000, signal);
  return ask();
}

/** Runs `work` at most once; caches a failure as well as a success. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    // biome-ignore lint/plugin: a failure is cached on purpose.
    started ??= work();
    return started;
  };
}
