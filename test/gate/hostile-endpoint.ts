// An MCP endpoint that misbehaves as endpoints in life do: a server between the TLS edge and the MCP server, which lets
// through what it should refuse, and changes what is answered. What it does not touch is passed on as it came.
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, type ProtectedHeaderParameters } from 'jose';
import { legacyEra } from '#gate/mcp-messages.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { parseJson } from '#kernel/text/json.ts';
import type { Stage } from '../../scripts/stage.ts';

/** A request, as far as endpoints look into it. */
export interface Call {
  /** `/mcp`, or one of the metadata paths. */
  path: string;
  era: 'legacy' | 'modern';
  /** JSON-RPC method; empty when the body is no message. */
  method: string;
  /** Name of the tool that is called; empty otherwise. */
  tool: string;
  body: Readonly<Record<string, unknown>>;
  headers: IncomingHttpHeaders;
  /** The Bearer token, decoded and not verified; null when there is none, or it is no JWT. */
  token: Token | null;
}

export interface Token {
  text: string;
  header: ProtectedHeaderParameters;
  claims: JWTPayload;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  /** The JSON-RPC message, also of an event stream; undefined when it is none. */
  message: unknown;
}

export interface Hostile {
  /** Whether the endpoint believes this token, whatever the MCP server thinks of it. */
  believes?(token: Token, call: Call): boolean | Promise<boolean>;
  /** The token that the MCP server gets instead; it goes before `believes`. Undefined: the one that came. */
  tokenFor?(call: Call): string | undefined;
  /** The answer that the client gets. */
  answer?(answered: Answered, call: Call): Partial<Answered> | undefined;
  /** Headers of the request as the MCP server gets them. */
  headers?(headers: IncomingHttpHeaders, call: Call): IncomingHttpHeaders;
  /** Another MCP server for the calls; the one of the stage otherwise. */
  upstream?: URL;
}

/** Starts it, puts it behind the edge, and stops it with `after`. The next start of the MCP server takes it out again. */
export async function putHostileEndpoint(stage: Stage, after: AsyncDisposableStack, hostile: Hostile): Promise<URL> {
  const { upstreams } = stage.edge;
  const upstream = hostile.upstream ?? upstreams['/mcp'];
  if (!upstream) {
    throw new Error('the stage has no MCP server to stand before');
  }
  const server = http.createServer((request, response) => {
    void pass({ stage, hostile, upstream, request, response }).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
  const url = new URL(`http://${await listen(server)}`);
  after.defer(() => close(server));
  stage.edge.setUpstreams({ '/mcp': url, '/.well-known/oauth-protected-resource': url });
  return url;
}

/** A good token of the stage with the scopes that the other one claims; undefined when it does not claim to read. */
export function goodTokenLike({ settings, tokenSource }: Stage, { claims }: Token): string | undefined {
  const scopes = toScopes(claims);
  if (!scopes.includes(tokenSource.scopes.read)) {
    return undefined;
  }
  return settings[scopes.includes(tokenSource.scopes.write) ? 'MCP_GATE_WRITE_TOKEN' : 'MCP_GATE_READ_TOKEN'];
}

/** Whether the MCP server takes the token as it is: what its subject and client did counts for these. */
function isGood({ settings }: Stage, { text }: Token): boolean {
  const { MCP_GATE_READ_TOKEN: read, MCP_GATE_WRITE_TOKEN: write, MCP_GATE_LIMIT_TOKENS: others = '' } = settings;
  return [read, write, ...others.split(' ')].includes(text);
}

export function toScopes({ scope, scp }: JWTPayload): string[] {
  return typeof scope === 'string' ? scope.split(' ') : Array.isArray(scp) ? scp.map(String) : [];
}

interface Passing {
  stage: Stage;
  hostile: Hostile;
  upstream: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

async function pass({ stage, hostile, upstream, request, response }: Passing): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  const call = toCall(request, body);
  const other =
    hostile.tokenFor?.(call) ??
    (call.token && !isGood(stage, call.token) && (await hostile.believes?.(call.token, call))
      ? goodTokenLike(stage, call.token)
      : undefined);
  const headers = other === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${other}` };
  const { hostname, port } = upstream;
  const onward = http.request({
    hostname,
    port,
    path: request.url,
    method: request.method,
    headers: hostile.headers?.(headers, call) ?? headers,
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    onward.on('response', resolve).on('error', reject).end(body);
  });
  const text = Buffer.concat(await answer.toArray()).toString('utf8');
  const isStream = /^text\/event-stream\b/.test(answer.headers['content-type'] ?? '');
  const given = { status: answer.statusCode ?? 502, headers: answer.headers, message: messageIn(text) };
  const { status, headers: sent, message } = { ...given, ...hostile.answer?.(given, call) };
  const next =
    message === given.message
      ? text
      : isStream
        ? `event: message\ndata: ${JSON.stringify(message)}\n\n`
        : JSON.stringify(message);
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = sent;
  response.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(next) }).end(next);
}

function toCall({ url: path = '', headers }: IncomingMessage, body: Buffer): Call {
  const message = (parseJson(body.toString('utf8')) ?? {}) as Record<string, unknown>;
  const { method = '', params } = message as { method?: string; params?: { name?: string } };
  const isLegacy = method === 'initialize' || headers['mcp-protocol-version'] === legacyEra;
  return {
    path,
    era: isLegacy ? 'legacy' : 'modern',
    method,
    tool: method === 'tools/call' ? (params?.name ?? '') : '',
    body: message,
    headers,
    token: parseToken(headers.authorization),
  };
}

function parseToken(header = ''): Token | null {
  const text = /^Bearer (.+)$/i.exec(header)?.[1] ?? '';
  try {
    return { text, header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch (error) {
    if (error instanceof TypeError || (error as { code?: unknown }).code === 'ERR_JWT_INVALID') {
      return null;
    }
    throw error;
  }
}

/** JSON of a body, or of the event of a stream that has data. */
function messageIn(text: string): unknown {
  const data = text.split(/\r?\n/).find((line) => line.startsWith('data: {'));
  return parseJson(data?.slice('data: '.length) ?? text);
}
