// Servers on a port: listening, closing with open connections, and finding a free port.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Listens; resolves to host and port as in a URL (`127.0.0.1:4000`, `[::1]:4000`). Port 0 takes a free one. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  return `${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

/** Closes it with its connections: a server of HTTP knows its own, those of others are `sockets`. */
export async function close(server: Server & { closeAllConnections?(): void }, sockets: Iterable<Socket> = []) {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections?.();
  for (const socket of sockets) {
    socket.destroy();
  }
  await closed;
}

/**
 * A port of loopback that was free a moment ago, for addresses that must be known before anything listens. It lies below
 * those that systems give to outgoing connections and to port 0 (RFC 6335 section 6 begins them at 49152, Linux at 32768),
 * so that none of these takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    try {
      await listen(server, '127.0.0.1', port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') {
        throw error;
      }
      continue;
    }
    await close(server);
    return port;
  }
}
