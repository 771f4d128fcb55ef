// The connections that the probes use, made when they are first needed and closed with the run.
import type { Clock } from '#kernel/clock.ts';
import type { GateConfig } from '../config.ts';
import { callTool } from '../mcp-messages.ts';
import { askPublicDns } from '../public-dns.ts';
import { type Answer, type Ask, createHttp, type Http, resolveTarget } from '../target.ts';
import { headerOf, type ProbeContext } from './context.ts';
import { type IssuerView, readIssuer } from './issuer.ts';

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
  const publication = once(() => askPublicDns({ config, clock, signal }));
  const addresses = once(async () => {
    if ((await publication()).state !== 'absent') {
      throw Object.assign(new Error('the name is published, or may be'), { code: 'NAME_PUBLISHED' });
    }
    return resolveTarget(config.MCP_GATE_CONNECT_ADDRESS);
  });
  const targets = once(async () => (await addresses()).map((one) => stack.use(createHttp(options, one))));
  const target = async () => {
    const [first] = await targets();
    if (!first) {
      throw Object.assign(new Error('the target has no address'), { code: 'ENOTFOUND' });
    }
    return first;
  };
  const others: Http = stack.use(createHttp(options));
  const issuer = once<IssuerView>(() => readIssuer(others, config.MCP_GATE_ISSUER));
  /** An earlier run, or a collector, may have spent the allowance of this minute: then it waits, once. */
  const patiently = async (http: Http, name: string, url: URL, ask?: Ask) => {
    const answer = await http.ask(name, url, ask);
    const seconds = name === 'burst' || answer.status !== 429 ? null : retryAfterOf(answer);
    if (seconds === null) {
      return answer;
    }
    await clock.sleep(seconds * 1000, signal);
    return http.ask(name, url, ask);
  };
  const mcp = async (name: string, ask: Ask) => patiently(await target(), name, endpoint, ask);
  return {
    config,
    now: () => clock.now(),
    mcp,
    path: async (name, path) => (await target()).ask(name, new URL(path, endpoint)),
    async everywhere(name, ask) {
      const [url, what] = typeof ask === 'string' ? [new URL(ask, endpoint)] : [endpoint, ask];
      return Promise.all((await targets()).map((one) => patiently(one, name, url, what)));
    },
    agreeing: once(() => mcp('agreeing', { ...callTool('get_devices', {}), token: config.MCP_GATE_READ_TOKEN })),
    publication,
    addresses,
    ca,
    hub: others,
    issuer,
    sent: new Map(),
    seen: { enabledRouters: 0 },
    onBurst,
  };
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
