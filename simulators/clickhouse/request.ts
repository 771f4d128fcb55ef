// One request to the HTTP interface of ClickHouse: who asks, what, with which settings and body.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface ServerRequest {
  user: string;
  password: string;
  database: string;
  /** The statement; of an insert without its rows. */
  query: string;
  body: string;
  /** `{name:Type}` of the statement → value. */
  params: Readonly<Record<string, string>>;
  token: string | null;
}

/** Bytes of a body at most. */
const maxBody = 268_435_456;

export async function readRequest(message: IncomingMessage): Promise<ServerRequest> {
  const url = new URL(message.url ?? '/', 'http://server');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) {
      throw new Error('the body is too large');
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const text = (message.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  const inAddress = url.searchParams.get('query');
  const params = [...url.searchParams].flatMap(([name, value]) =>
    name.startsWith('param_') ? [[name.slice('param_'.length), value] as const] : [],
  );
  return {
    ...readCredentials(message.headers),
    database: url.searchParams.get('database') ?? 'default',
    query: (inAddress ?? text).trim(),
    body: inAddress === null ? '' : text,
    params: Object.fromEntries(params),
    token: url.searchParams.get('insert_deduplication_token'),
  };
}

/**
 * By HTTP Basic, or by the headers that the official client sends once it has settings of TLS:
 * https://clickhouse.com/docs/interfaces/http#authentication.
 */
function readCredentials(headers: IncomingHttpHeaders): Pick<ServerRequest, 'user' | 'password'> {
  const { 'x-clickhouse-user': named, 'x-clickhouse-key': key } = headers;
  if (named !== undefined) {
    return { user: String(named), password: String(key ?? '') };
  }
  const given = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(given, 'base64').toString()) ?? [];
  return { user, password };
}
