// A proxy for programs that cannot send a credential: it adds the token of MCP clients, and leaves everything else as it is.
import { createServer, request } from 'node:http';
import { close, listen } from '#kernel/http/listening.ts';

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
  return {
    url: new URL(target.pathname, `http://${await listen(server)}`),
    [Symbol.asyncDispose]: () => close(server),
  };
}
