// Limits of body, time, concurrency and rate, exercised through the proxy; the burst last, because it shuts the door.
import { connect, type TLSSocket } from 'node:tls';
import { callTool, modern } from '../mcp-messages.ts';
import { headerOf } from '../probes/context.ts';
import { stagedTarget } from '../staged-target.ts';
import { type Answer, createHttp, type Http, trust } from '../target.ts';
import type { CollectContext, Collector } from './collector.ts';

/** Above MCP_MAX_BODY, 256 KiB. */
const largeBytes = 320 * 1024;
const unfinishedRequests = 3;
/** Tool calls at once: above MCP_MAX_CONCURRENT (4), below what one subject may ask in a minute (30). */
const callsAtOnce = 16;
/** For the deadline of the endpoint, 30 s unless set otherwise, and a margin. */
const deadlineMs = 45_000;

export const reverseProxyLimits: Collector = {
  name: 'reverse-proxy-limits',
  summary: 'a large body, requests that never end, many tool calls at once, and a burst, all through the proxy',
  item: 'reverseProxyLimits',
  options: {},
  help: '',
  async run(context) {
    const { config, ca, signal, transcript } = context;
    const [pinned] = await stagedTarget(context);
    await using http = createHttp({ timeoutMs: config.MCP_GATE_TIMEOUT_MS, ca, signal }, pinned);
    const found = [
      ['a body of 320 KiB', await refusesLargeBody(http, context)],
      ['requests that never end', await endsUnfinished(pinned.address, context)],
      [`${callsAtOnce} tool calls at once`, await turnsAway(http, context)],
      ['a burst', await stopsBurst(http, context)],
    ] as const;
    for (const [did, saw] of found) {
      transcript.add(did, saw ?? 'refused as it should be');
    }
    return { fields: {}, objections: found.flatMap(([did, saw]) => (saw === null ? [] : [`${did}: ${saw}`])) };
  },
};

async function refusesLargeBody(http: Http, { config }: CollectContext): Promise<string | null> {
  const body = `{"padding":"${'x'.repeat(largeBytes)}"}`;
  const answer = await http.ask('large', config.MCP_GATE_ENDPOINT.url, { method: 'POST', body });
  return answer.status === 413 ? null : `it is answered with ${answer.status}, not 413`;
}

async function stopsBurst(http: Http, { config }: CollectContext): Promise<string | null> {
  for (let count = 0; count < config.MCP_GATE_RATE_PROBE_REQUESTS; count += 1) {
    const answer: Answer = await http.ask('burst', config.MCP_GATE_ENDPOINT.url, modern('tools/list'));
    if (answer.status === 429) {
      return /^[1-9]\d*$/.test(headerOf(answer, 'retry-after')) ? null : '429 comes without Retry-After';
    }
  }
  return 'it is not stopped';
}

/** Sends the beginning of requests and no more: the deadline must end them (408, 504, or the connection closed). */
async function endsUnfinished(address: string, context: CollectContext): Promise<string | null> {
  const endings = await Promise.all(Array.from({ length: unfinishedRequests }, () => unfinished(address, context)));
  const wrong = endings.find((ending) => !['408', '504', 'closed'].includes(ending));
  return wrong === undefined
    ? null
    : wrong === 'open'
      ? 'one is still open after 45 s'
      : `one is answered with ${wrong}`;
}

/** Some must be served, the others turned away with 429. */
async function turnsAway(http: Http, { config }: CollectContext): Promise<string | null> {
  const call = () =>
    http.ask('many', config.MCP_GATE_ENDPOINT.url, {
      ...callTool('get_traffic_summary', { period: '14d' }),
      token: config.MCP_GATE_READ_TOKEN,
    });
  const answers = await Promise.all(Array.from({ length: callsAtOnce }, call));
  const refused = answers.filter(({ status }) => status === 429);
  if (refused.length === 0 || !answers.some(({ status }) => status === 200)) {
    return `${refused.length} of ${callsAtOnce} are turned away`;
  }
  return refused.every((answer) => /^[1-9]\d*$/.test(headerOf(answer, 'retry-after')))
    ? null
    : '429 comes without Retry-After';
}

async function unfinished(address: string, { config, ca, clock, signal }: CollectContext): Promise<string> {
  const { url } = config.MCP_GATE_ENDPOINT;
  const socket: TLSSocket = connect({
    host: address,
    port: Number(url.port || 443),
    servername: url.hostname,
    ...trust(ca),
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
