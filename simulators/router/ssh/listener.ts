// The TCP half of a router: the port it listens on, and what happens to a connection before the SSH conversation.
import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Faults } from '../faults.ts';
import type { Credentials } from '../model.ts';
import { secretAt } from '../secret-places.ts';
import type { Connection } from './server.ts';

export interface ListenerOptions {
  host: string;
  /** 0 picks a free one; it stays the same over a restart. */
  port: number;
  clock: Clock;
  faults: Faults;
  credentials: Credentials;
  acceptMs: number;
  sessionLimit: () => number;
  /** Resolves when the connection is logged in or closed; a rejection closes it. */
  onConnection: (connection: Connection) => Promise<void>;
  note: (kind: string, details: Record<string, unknown>) => void;
}

export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** Connections accepted so far, refused ones included. */
  readonly count: number;
  readonly open: ReadonlyMap<number, Connection>;
  /** Destroys every connection. */
  disconnect(): void;
  /** Refuses connections until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

const httpAnswer = [
  'HTTP/1.1 400 Bad Request',
  'Server: httpd',
  'Content-Type: text/html',
  'Content-Length: 48',
  'Connection: close',
  '',
  '<html><body><h1>Bad Request</h1></body></html>\r\n',
].join('\r\n');

export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { clock, faults, note } = options;
  const open = new Map<number, Connection>();
  const sockets = new Set<Socket>();
  let count = 0;
  let port = options.port;
  let server: Server | null = null;

  const converse = async (connection: Connection) => {
    if (options.acceptMs > 0) {
      await clock.sleep(options.acceptMs);
    }
    if (!connection.socket.destroyed) {
      await options.onConnection(connection);
    }
  };

  const refusal = (): string | null => {
    const full = faults.take('sessions-full');
    if (full || open.size >= options.sessionLimit()) {
      return full?.value === 'reset' ? 'reset' : 'full';
    }
    return faults.take('closed-early')
      ? 'closed-early'
      : faults.take('hang')
        ? 'hang'
        : faults.take('not-ssh')
          ? 'not-ssh'
          : null;
  };

  const refuse = (socket: Socket, how: string) => {
    if (how === 'reset') {
      socket.resetAndDestroy();
    } else if (how === 'not-ssh') {
      socket.once('data', () => socket.end(httpAnswer));
    } else if (how === 'hang') {
      socket.resume();
    } else {
      socket.destroy();
    }
  };

  const accept = (socket: Socket) => {
    count += 1;
    const from = (socket.remoteAddress ?? '').replace('::ffff:', '');
    const connection: Connection = { id: count, socket, from };
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => {
      sockets.delete(socket);
      if (open.delete(connection.id)) {
        note('disconnected', { connection: connection.id });
      }
    });
    const how = refusal();
    const greeting = how === null ? secretAt('greeting', faults, options.credentials) : null;
    socket.on('error', (error) => note('socket-error', { connection: connection.id, message: error.message }));
    if (how !== null) {
      note('refused', { connection: connection.id, from, how });
      refuse(socket, how);
      return;
    }
    if (greeting !== null) {
      note('refused', { connection: connection.id, from, how: greeting });
      socket.end(`${greeting}\r\n`);
      return;
    }
    note('connected', { connection: connection.id, from });
    open.set(connection.id, connection);
    converse(connection).catch((error) => {
      note('defect', { connection: connection.id, message: messageOf(error) });
      socket.destroy();
    });
  };

  const start = async () => {
    if (server) {
      return;
    }
    const next = createServer(accept);
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject);
      next.listen(port, options.host, resolve);
    });
    const address = next.address();
    port = typeof address === 'object' && address ? address.port : port;
    server = next;
  };

  const disconnect = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };

  const stop = async () => {
    const last = server;
    server = null;
    disconnect();
    if (last) {
      await new Promise<void>((resolve) => last.close(() => resolve()));
    }
  };

  await start();
  return {
    get port() {
      return port;
    },
    get count() {
      return count;
    },
    open,
    disconnect,
    stop,
    start,
    [Symbol.asyncDispose]: stop,
  };
}
