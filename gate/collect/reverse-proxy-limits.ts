// Collector: tests the limits of body, time, concurrency and rate through the proxy; the burst last, as it blocks
// access.
import { connect, type TLSSocket } from 'node:tls';
import { fail, pass, type Verdict } from '../check.ts';
import { modern } from '../mcp-messages.ts';
import { parseRetryAfter } from '../probes/answer-headers.ts';
import { retryAfterLimit } from '../probes/input.ts';
import { judgeLimit, limits, spoofedHeaders } from '../probes/limits.ts';
import { burstWithTokens, countTokenHolders } from '../probes/token-burst.ts';
import { stagedTarget } from '../staged-target.ts';
import { type Answer, createHttp, type Http, trustedCa } from '../target.ts';
import type { CollectContext, Collector } from './collector.ts';

/** Above MCP_MAX_BODY, 256 KiB. */
const largeBytes = 320 * 1024;
const unfinishedRequests = 3;
/** For the deadline of the endpoint, 30 s unless set otherwise, and a margin. */
const deadlineMs = 45_000;

export const reverseProxyLimits: Collector = {
  name: 'reverse-proxy-limits',
  summary: 'a large body, requests that never end, and bursts that meet each limit, all through the proxy',
  item: 'reverseProxyLimits',
  options: {},
  help: '',
  async run(context) {
    const { config, ca, signal, transcript } = context;
    // Throws for tokens that cannot show the limits, before anything is sent.
    countTokenHolders(config);
    const [pinned] = await stagedTarget(context);
    await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal }, pinned);
    const found: (readonly [did: string, Verdict])[] = [
      ['a body of 320 KiB', verdictOn(await refusesLargeBody(http, context))],
      ['requests that never end', verdictOn(await endsUnfinished(pinned.address, context))],
      ...(await meetsLimits(http, context)),
      ['a burst', verdictOn(await stopsBurst(http, context))],
      ['a header that names another address', verdictOn(await ignoresHeader(http, context))],
    ];
    for (const [did, verdict] of found) {
      transcript.add(did, verdict.outcome === 'pass' ? 'refused as it should be' : verdict.because);
    }
    return {
      fields: {},
      objections: found.flatMap(([did, verdict]) => (verdict.outcome === 'fail' ? [`${did}: ${verdict.because}`] : [])),
    };
  },
};

function verdictOn(problem: string | null): Verdict {
  return problem === null ? pass : fail(problem);
}

async function refusesLargeBody(http: Http, { config }: CollectContext): Promise<string | null> {
  const body = `{"padding":"${'x'.repeat(largeBytes)}"}`;
  const answer = await http.ask('large', config.MCP_GATE_ENDPOINT.url, { method: 'POST', body });
  return answer.status === 413 ? null : `it is answered with ${answer.status}, not 413`;
}

async function stopsBurst(http: Http, { config }: CollectContext): Promise<string | null> {
  for (let count = 0; count < config.MCP_GATE_RATE_PROBE_REQUESTS; count += 1) {
    const answer: Answer = await http.ask('burst', config.MCP_GATE_ENDPOINT.url, modern('tools/list'));
    if (answer.status === 429) {
      return parseRetryAfter(answer) === null ? '429 comes without Retry-After' : null;
    }
  }
  return 'it is not stopped';
}

/** Sends the beginning of requests and no more: the deadline must end them (408, 504, or the connection closed). */
async function endsUnfinished(address: string, context: CollectContext): Promise<string | null> {
  const endings = await Promise.all(Array.from({ length: unfinishedRequests }, () => sendUnfinished(address, context)));
  const wrong = endings.find((ending) => !['408', '504', 'closed'].includes(ending));
  return wrong === undefined
    ? null
    : wrong === 'open'
      ? 'one is still open after 45 s'
      : `one is answered with ${wrong}`;
}

/** Each limit, and why it was not met; null when it was. */
async function meetsLimits(http: Http, context: CollectContext): Promise<(readonly [string, Verdict])[]> {
  const { config, clock, signal } = context;
  const { url } = config.MCP_GATE_ENDPOINT;
  const shown = await burstWithTokens({
    config,
    mcp: (name, ask) => retryAfterLimit(() => http.ask(name, url, ask), { name, clock, signal }),
    path: (name, path) => http.ask(name, new URL(path, url)),
    onBurst: () => {},
  });
  return limits.map((limit) => [`requests up to ${limit.variable}`, judgeLimit(limit, shown, config)]);
}

/** After the burst: an address that is only named must not buy a new allowance. */
async function ignoresHeader(http: Http, { config }: CollectContext): Promise<string | null> {
  const ask = modern('tools/list');
  const headers = { ...ask.headers, ...spoofedHeaders };
  const { status } = await http.ask('spoofed', config.MCP_GATE_ENDPOINT.url, { ...ask, headers });
  return status === 429 ? null : `it is answered with ${status}, not 429`;
}

async function sendUnfinished(address: string, { config, ca, clock, signal }: CollectContext): Promise<string> {
  const { url } = config.MCP_GATE_ENDPOINT;
  const socket: TLSSocket = connect({
    host: address,
    port: Number(url.port || 443),
    servername: url.hostname,
    ...trustedCa(ca),
  });
  const ended = new Promise<string>((resolve) => {
    socket.once('secureConnect', () => {
      const head = [
        'POST /mcp HTTP/1.1',
        `Host: ${url.host}`,
        'Content-Type: application/json',
        'Content-Length: 1000',
      ];
      socket.write(`${head.join('\r\n')}\r\nAccept: application/json, text/event-stream\r\n\r\n{"jsonrpc"`);
    });
    socket.once('data', (bytes) => resolve(/^HTTP\/1\.1 (\d{3})/.exec(String(bytes))?.[1] ?? 'closed'));
    socket.once('close', () => resolve('closed'));
    socket.once('error', () => resolve('closed'));
  });
  const timer = new AbortController();
  const late = clock.sleep(deadlineMs, AbortSignal.any([signal, timer.signal])).then(
    () => 'open',
    () => 'closed',
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    timer.abort();
    socket.destroy();
  }
}
