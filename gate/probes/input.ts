// The connections that the probes use, made when they are first needed and closed with the run.
import type { Clock } from '#kernel/clock.ts';
import type { GateConfig } from '../config.ts';
import { type Answer, createHttp, type Http, resolveTarget } from '../target.ts';
import { headerOf, type ProbeContext } from './context.ts';
import { createForger } from './forgeries.ts';
import { type IssuerView, readIssuer } from './issuer.ts';
import { findAddresses } from './own-addresses.ts';
import { burstWithTokens } from './token-burst.ts';

export interface ProbeInput {
  config: GateConfig;
  clock: Clock;
  ca: string | undefined;
  signal: AbortSignal | undefined;
  onBurst: (sent: number, of: number) => void;
}

export function probeContext(
  { config, clock, ca, signal, onBurst }: ProbeInput,
  stack: AsyncDisposableStack,
): ProbeContext {
  const options = { timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal };
  const { url: endpoint } = config.MCP_GATE_ENDPOINT;
  const target = once(async () => {
    const [first] = await resolveTarget(config.MCP_GATE_CONNECT_ADDRESS);
    if (!first) {
      throw Object.assign(new Error('the target has no address'), { code: 'ENOTFOUND' });
    }
    return stack.use(createHttp(options, first));
  });
  const place = once(async () => {
    const [first] = await resolveTarget(config.MCP_GATE_CONNECT_ADDRESS);
    return findAddresses(first?.address ?? '', Number(endpoint.port || 443), config.MCP_GATE_TIMEOUT_MS);
  });
  const elsewhere = once(async () => {
    const [first] = await resolveTarget(config.MCP_GATE_CONNECT_ADDRESS);
    const { other } = await place();
    return other === null ? null : stack.use(createHttp({ ...options, localAddress: other }, first));
  });
  const others: Http = stack.use(createHttp(options));
  const issuer = once<IssuerView>(() => readIssuer(others, config.MCP_GATE_ISSUER));
  const context: ProbeContext = {
    config,
    now: () => clock.now(),
    mcp: async (name, ask) => patiently(async () => (await target()).ask(name, endpoint, ask), { name, clock, signal }),
    mcpFromElsewhere: async (name, ask) => (await elsewhere())?.ask(name, endpoint, ask) ?? null,
    async ownAddresses() {
      const { own, other } = await place();
      return [own, ...(other === null ? [] : [other])];
    },
    path: async (name, path) => (await target()).ask(name, new URL(path, endpoint)),
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

/**
 * Asks again after a 429: an earlier run, or a collector, has spent the allowance of this minute. What begins with `burst`
 * is asked once.
 */
export async function patiently(
  ask: () => Promise<Answer>,
  { name, clock, signal }: { name: string; clock: Clock; signal: AbortSignal | undefined },
): Promise<Answer> {
  const answer = await ask();
  const seconds = name.startsWith('burst') || answer.status !== 429 ? null : retryAfterOf(answer);
  if (seconds === null) {
    return answer;
  }
  await clock.sleep(seconds * 1000, signal);
  return ask();
}

/** Seconds to wait, up to a minute; null when the answer does not say. */
function retryAfterOf(answer: Answer): number | null {
  const seconds = Number(headerOf(answer, 'retry-after') || Number.NaN);
  return seconds >= 1 && seconds <= 60 ? seconds : null;
}

/** Work that is done at most once; a failure is as lasting as a success. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    // biome-ignore lint/plugin: a failure is kept on purpose.
    started ??= work();
    return started;
  };
}
