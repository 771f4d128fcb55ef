// A server of plain HTTP that answers everything with the same: what the hub makes of it is the matter of the test.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** A text as it is, anything else as JSON. */
  body?: string | object;
}

/** Listens on a free port of this machine until it is disposed; `hosts` are those that requests named. */
export async function answerAlways({
  status = 200,
  headers = { 'content-type': 'application/json' },
  body = {},
}: Answer) {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    request.resume().on('end', () => {
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    hosts,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
