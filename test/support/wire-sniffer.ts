// Reads along what this process asks our servers over HTTP, whoever asks: each answer is one of its contract, each MCP
// message one of its protocol revision, or the lab that was asked fails when it ends.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { parseJson } from '#kernel/text/json.ts';
import { type Era, findEra, mcpFaults } from './mcp-schema.ts';
import { restFaults } from './rest-contract.ts';

export interface WireSniffer extends Disposable {
  /** Answers of this origin are those of the hub. */
  hub(url: URL): void;
  /** Answers of this address are those of an MCP server. */
  mcp(url: URL): void;
  /** One message that came another way; `request` is the method that it answers. */
  message(era: Era, message: unknown, request?: string): void;
}

interface Exchange {
  readonly sniffer: Sniffer;
  readonly kind: 'hub' | 'mcp';
  readonly asked: AskedRequest;
  status: number;
  headers: Record<string, string>;
  readonly sent: Uint8Array[];
  readonly received: Uint8Array[];
}

/** What undici says of a request: `headers` are names and values in turn. */
interface AskedRequest {
  method: string;
  origin: string | URL;
  path: string;
  headers: readonly (string | string[])[];
}

interface Sniffer {
  readonly origins: Map<string, 'hub' | 'mcp'>;
  readonly faults: string[];
}

const sniffers = new Set<Sniffer>();
const under = new Map<AskedRequest, Exchange>();

const channels: Readonly<Record<string, (message: never) => void>> = {
  'undici:request:create': ({ request }: { request: AskedRequest }) => {
    const origin = new URL(request.origin).origin;
    for (const sniffer of sniffers) {
      const kind = sniffer.origins.get(origin);
      if (kind !== undefined) {
        under.set(request, { sniffer, kind, asked: request, status: 0, headers: {}, sent: [], received: [] });
        return;
      }
    }
  },
  'undici:request:headers': (of: { request: AskedRequest; response: { statusCode: number; headers: Buffer[] } }) => {
    const exchange = under.get(of.request);
    if (exchange) {
      exchange.status = of.response.statusCode;
      exchange.headers = pairs(of.response.headers.map(String));
    }
  },
  'undici:request:bodyChunkSent': ({ request, chunk }: { request: AskedRequest; chunk: Uint8Array | string }) => {
    under.get(request)?.sent.push(Buffer.from(chunk));
  },
  'undici:request:bodyChunkReceived': ({ request, chunk }: { request: AskedRequest; chunk: Uint8Array }) => {
    under.get(request)?.received.push(Buffer.from(chunk));
  },
  'undici:request:trailers': ({ request }: { request: AskedRequest }) => end(request, true),
  'undici:request:error': ({ request }: { request: AskedRequest }) => end(request, false),
};

/** Disposing it throws what was wrong. */
export function startSniffer(): WireSniffer {
  const sniffer: Sniffer = { origins: new Map(), faults: [] };
  if (sniffers.size === 0) {
    for (const [name, listener] of Object.entries(channels)) {
      subscribe(name, listener as (message: unknown) => void);
    }
  }
  sniffers.add(sniffer);
  return {
    hub: ({ origin }) => void sniffer.origins.set(origin, 'hub'),
    mcp: ({ origin }) => void sniffer.origins.set(origin, 'mcp'),
    message(era, message, request) {
      note(sniffer, `${era} ${request ?? 'message'}`, message, mcpFaults(era, message, request));
    },
    [Symbol.dispose]() {
      for (const exchange of under.values()) {
        if (exchange.sniffer === sniffer) {
          end(exchange.asked, false);
        }
      }
      sniffers.delete(sniffer);
      if (sniffers.size === 0) {
        for (const [name, listener] of Object.entries(channels)) {
          unsubscribe(name, listener as (message: unknown) => void);
        }
      }
      if (sniffer.faults.length > 0) {
        throw new Error(`not of the contract:\n${[...new Set(sniffer.faults)].slice(0, 10).join('\n')}`);
      }
    },
  };
}

/** Of an answer that was cut off, a stream for one, what is whole is judged. */
function end(request: AskedRequest, isWhole: boolean): void {
  const exchange = under.get(request);
  under.delete(request);
  if (!exchange || exchange.status === 0) {
    return;
  }
  const { sniffer, kind, status, headers } = exchange;
  const type = headers['content-type'] ?? '';
  if (!isWhole && !type.startsWith('text/event-stream')) {
    return;
  }
  const text = toText(exchange);
  const sent = pairs(request.headers.flat());
  const name = `${request.method} ${request.path} ${status}`;
  if (kind === 'mcp') {
    judgeMcp(sniffer, name, { type, text, status, sent, body: parseJson(Buffer.concat(exchange.sent).toString()) });
  } else {
    const { pathname } = new URL(request.path, 'http://hub');
    const wantsHtml = (sent.accept ?? '').includes('text/html');
    const answer = { method: request.method, path: pathname, status, type, text, wantsHtml };
    note(sniffer, name, text, restFaults(answer));
  }
}

interface McpExchange {
  type: string;
  text: string;
  status: number;
  sent: Record<string, string>;
  body: unknown;
}

function judgeMcp(sniffer: Sniffer, name: string, { type, text, sent, body }: McpExchange): void {
  const request = (body ?? {}) as { method?: string };
  const era = findEra(body, sent['mcp-protocol-version']);
  const texts = type.startsWith('text/event-stream')
    ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data = '']) => data)
    : [text].filter((one) => one.includes('"jsonrpc"'));
  for (const one of texts) {
    const message = parseJson(one);
    note(sniffer, `${name} ${request.method} in ${era}`, one, mcpFaults(era, message, request.method));
    if ((message as { result?: unknown } | undefined)?.result !== undefined) {
      note(
        sniffer,
        `${name} ${request.method} in ${era}: what was asked`,
        String(JSON.stringify(body)),
        mcpFaults(era, body),
      );
    }
  }
}

function note(sniffer: Sniffer, name: string, message: unknown, faults: readonly string[]): void {
  const shown = typeof message === 'string' ? message : JSON.stringify(message);
  for (const fault of faults) {
    sniffer.faults.push(`- ${name}: ${fault}; ${shown.slice(0, 300)}`);
  }
}

function pairs(flat: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) {
    found[String(flat[at]).toLowerCase()] = String(flat[at + 1]);
  }
  return found;
}

function toText({ received, headers }: Exchange): string {
  const bytes = Buffer.concat(received);
  switch (bytes.length === 0 ? undefined : headers['content-encoding']) {
    case 'gzip':
      return gunzipSync(bytes).toString();
    case 'br':
      return brotliDecompressSync(bytes).toString();
    case 'deflate':
      return inflateSync(bytes).toString();
    default:
      return bytes.toString();
  }
}
