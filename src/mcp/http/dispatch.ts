// Hands a message that passed every step to the SDK, which tells the two eras apart, and reads from its answer how it went.
import { createMcpHandler, type McpHttpHandler, preloadSchemas, type Server } from '@modelcontextprotocol/server';
import type { Log } from '#kernel/log.ts';
import type { CredentialWatch, Hub } from '../hub.ts';
import type { Audience } from '../server.ts';
import type { AuditRecorder } from './audit-recorder.ts';
import type { Exchange } from './exchange.ts';

export interface DispatchOptions {
  serverFor(audience: Audience): Server;
  hub: Hub;
  watch: CredentialWatch;
  /** Told when the handler of a tool begins and when it completes. */
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
        began: () => recorder.toolBegan(exchange),
        ended: (tool, ending) => recorder.toolEnded(exchange, tool, ending),
      });
    },
    // Its text may quote what a client sent.
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
    const response = answer.status < 400 ? answer : await identified(exchange, answer);
    return exchange.message?.method === 'tools/call' ? response : judged(exchange, response);
  };
  return Object.assign(dispatch, { close: () => handler.close() });
}

/** Only what the protocol reads: no credential gets beyond this point. The types were checked, however they were written. */
function withoutCredentials(headers: Exchange['headers']): Headers {
  const kept = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && /^mcp-/.test(name)) {
      kept.set(name, value);
    }
  }
  return kept;
}

/** An error of the SDK's transport has the id null, which MCP does not know: it gets the id of its request. */
async function identified({ message }: Exchange, response: Response): Promise<Response> {
  const text = await response.text();
  const error = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  const id = message?.value.id;
  const known = typeof id === 'string' || Number.isInteger(id) ? id : undefined;
  const body = error.id === null ? JSON.stringify({ ...error, id: known }) : text;
  return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
}

/** Reads the answer to anything but a tool call, which is short, and notes the JSON-RPC error it holds, if it does. */
async function judged(exchange: Exchange, response: Response): Promise<Response> {
  const text = await response.text();
  exchange.rpcError = rpcErrorIn(text);
  return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
}

/** Code of the error in a JSON answer or in the data of server-sent events. */
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
