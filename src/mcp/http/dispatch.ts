// Passes an accepted message to the SDK, which distinguishes the two eras, and reads the outcome from its response.
import { createMcpHandler, type McpHttpHandler, preloadSchemas, type Server } from '@modelcontextprotocol/server';
import type { Log } from '#kernel/process/log.ts';
import type { CredentialWatch, Hub } from '../hub.ts';
import type { ServerContext } from '../server.ts';
import type { AuditRecorder } from './audit-recorder.ts';
import type { Exchange } from './exchange.ts';

export interface DispatchOptions {
  serverFor(context: ServerContext): Server;
  hub: Hub;
  watch: CredentialWatch;
  /** Notified when the handler of a tool starts and completes. */
  recorder: Pick<AuditRecorder, 'toolBegan' | 'toolEnded'>;
  log: Log;
}

export interface Dispatch {
  (exchange: Exchange): Promise<Response>;
  close(): Promise<void>;
}

export function createDispatch({ serverFor, hub, watch, recorder, log }: DispatchOptions): Dispatch {
  preloadSchemas();
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo }) => {
      const exchange = authInfo?.extra?.exchange as Exchange;
      const { requestId, caller, signal } = exchange;
      return serverFor({
        granted: caller?.granted ?? new Set(),
        requestId,
        hub: (call) => hub.at({ requestId, signal: AbortSignal.any([signal, call]) }, watch),
        onCallStart: () => recorder.toolBegan(exchange),
        onCallEnd: (tool, outcome) => recorder.toolEnded(exchange, tool, outcome),
      });
    },
    // The text may contain input of the client.
    { onerror: (error) => log.debug({ kind: error.name }, 'a message was refused by the protocol') },
  );
  const dispatch = async (exchange: Exchange) => {
    exchange.signal.throwIfAborted();
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: withoutCredentials(exchange.headers),
      signal: exchange.signal,
    });
    const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
    const answer = await handler.fetch(request, { authInfo, parsedBody: exchange.message?.value });
    const response = answer.status < 400 ? answer : await withRequestId(exchange, answer);
    return exchange.message?.method === 'tools/call' ? response : recordRpcError(exchange, response);
  };
  return Object.assign(dispatch, { close: () => handler.close() });
}

/** Copies only the headers that the protocol reads, without credentials, with normalised media types. */
function withoutCredentials(headers: Exchange['headers']): Headers {
  const allowed = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && /^mcp-/.test(name)) {
      allowed.set(name, value);
    }
  }
  return allowed;
}

/** Replaces the id null, which transport errors of the SDK have and MCP does not allow, with the id of the request. */
async function withRequestId({ message }: Exchange, response: Response): Promise<Response> {
  const text = await response.text();
  const error = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  const id = message?.value.id;
  const known = typeof id === 'string' || Number.isInteger(id) ? id : undefined;
  const body = error.id === null ? JSON.stringify({ ...error, id: known }) : text;
  return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
}

/** Reads a response other than that of a tool call (it is short) and records its JSON-RPC error, if any. */
async function recordRpcError(exchange: Exchange, response: Response): Promise<Response> {
  const text = await response.text();
  exchange.rpcError = rpcErrorIn(text);
  return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
}

/** The error code in a JSON response or in the data of server-sent events. */
export function rpcErrorIn(text: string): number | null {
  const pieces = text.startsWith('{') ? [text] : [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = '']) => data);
  for (const piece of pieces) {
    const code = /"error"/.test(piece) ? (JSON.parse(piece) as { error?: { code?: unknown } }).error?.code : undefined;
    if (typeof code === 'number') {
      return code;
    }
  }
  return null;
}
