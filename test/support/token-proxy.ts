// A proxy for programs that cannot send a credential: it adds the token of MCP clients, and leaves everything else as it is.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenProxy extends AsyncDisposable {
  /** The address to call instead of the target's, with the target's path. */
  readonly url: URL;
}

/** Listens on a free port of loopback. Host and Origin go through unchanged. */
export async function startTokenProxy(target: URL, token: string): Promise<TokenProxy> {
  const server = createServer((incoming, outgoing) => {
    const forwarded = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers: { ...incoming.headers, 'x-admin-token': token } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(target.pathname, `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
