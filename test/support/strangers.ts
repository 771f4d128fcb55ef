// What a stranger can send to the MCP endpoint that fails before it is known who calls, one request of each kind.
import { Agent, type Dispatcher, request } from 'undici';
import { legacy } from './mcp-lab.ts';

/** Sends one request. */
type Stranger = (url: URL, from: Dispatcher) => Promise<{ status: number; retryAfter: string | undefined }>;

const list = JSON.stringify(legacy('tools/list'));
const plain = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

function stranger(headers: Record<string, string> = {}, body = list, method: Dispatcher.HttpMethod = 'POST'): Stranger {
  return async (url, dispatcher) => {
    const all = { ...plain, ...headers };
    const answer = await request(url, { method, headers: all, body: method === 'GET' ? null : body, dispatcher });
    await answer.body.dump();
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after']?.toString() };
  };
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const forged = `${part({ alg: 'RS256', kid: 'k' })}.${part({ sub: 'x' })}.${'A'.repeat(342)}`;

/** Of an endpoint that takes 1,024 bytes. */
export const strangers = {
  'no POST': stranger({}, '', 'GET'),
  'a foreign Host': stranger({ host: 'evil.example' }),
  'a foreign Origin': stranger({ origin: 'https://evil.example' }),
  'another media type': stranger({ 'content-type': 'text/plain' }),
  'a compressed body': stranger({ 'content-encoding': 'gzip' }),
  'a large body': stranger({}, '{'.repeat(1025)),
  'no credential': stranger(),
  'a wrong token': stranger({ 'x-admin-token': 'guess' }),
  'a wrong Bearer token': stranger({ authorization: 'Bearer guess' }),
  'a forged access token': stranger({ authorization: `Bearer ${forged}` }),
} as const satisfies Record<string, Stranger>;

/** Connections from this address of 127/8. */
export function dialFrom(localAddress: string): Agent & AsyncDisposable {
  const agent = new Agent({ localAddress, connections: 20 });
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.close() });
}
