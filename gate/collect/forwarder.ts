// A forward proxy on loopback for official clients: it adds the token, pins the target address and preserves the
// canonical name. Every local user can use it while it runs.
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { close, listen } from '#kernel/http/listening.ts';
import { stagedTarget } from '../staged-target.ts';
import { trustedCa } from '../target.ts';
import type { CollectContext } from './collector.ts';

export interface Forwarder extends AsyncDisposable {
  readonly url: URL;
  readonly seen: { versions: Set<string>; methods: Set<string> };
}

export async function startForwarder(token: string, context: CollectContext): Promise<Forwarder> {
  const { config, ca } = context;
  const { url: endpoint } = config.MCP_GATE_ENDPOINT;
  const [pinned] = await stagedTarget(context);
  const seen: Forwarder['seen'] = { versions: new Set(), methods: new Set() };
  const server = createServer((incoming, response) => {
    const { origin: _origin, ...headers } = incoming.headers;
    const onward = request(
      {
        host: pinned.address,
        port: endpoint.port || 443,
        servername: endpoint.hostname,
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, host: endpoint.host, authorization: `Bearer ${token}` },
        ...trustedCa(ca),
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    watch(incoming, seen);
    incoming.pipe(onward);
  });
  const address = await listen(server);
  return {
    url: new URL(`http://${address}/mcp`),
    seen,
    [Symbol.asyncDispose]: () => close(server),
  };
}

function watch(incoming: IncomingMessage, { versions, methods }: Forwarder['seen']): void {
  const version = incoming.headers['mcp-protocol-version'];
  if (typeof version === 'string') {
    versions.add(version);
  }
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const [, method] = /"method"\s*:\s*"([a-z/]{1,60})"/i.exec(Buffer.concat(chunks).toString('utf8')) ?? [];
    if (method !== undefined) {
      methods.add(method);
    }
  });
}
