// The TCP half of a router: the port it listens on, and what happens to a connection before the SSH conversation.
import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import { close, listen } from '#kernel/http/listening.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Faults } from '../faults.ts';
import type { Credentials } from '../model.ts';
import { takeSecret } from '../secret-places.ts';
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
  const listener = new Listener(options);
  await listener.start();
  return listener;
}

type Refusal = 'full' | 'reset' | 'closed-early' | 'hang' | 'not-ssh';

export class Listener implements AsyncDisposable {
  readonly #options: ListenerOptions;
  readonly #open = new Map<number, Connection>();
  readonly #sockets = new Set<Socket>();
  #port: number;
  #count = 0;
  #server: Server | null = null;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  get port(): number {
    return this.#port;
  }
  /** Connections accepted so far, refused ones included. */
  get count(): number {
    return this.#count;
  }

  async start(): Promise<void> {
    if (this.#server) {
      return;
    }
    const server = createServer((socket) => this.#accept(socket));
    const address = await listen(server, this.#options.host, this.#port);
    this.#port = Number(address.slice(address.lastIndexOf(':') + 1));
    this.#server = server;
  }

  /** Refuses connections until `start`. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.disconnect();
    if (server) {
      await close(server);
    }
  }

  disconnect(): void {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #accept(socket: Socket): void {
    const { faults, credentials, note } = this.#options;
    this.#count += 1;
    const connection: Connection = {
      id: this.#count,
      socket,
      from: (socket.remoteAddress ?? '').replace('::ffff:', ''),
    };
    const { id, from } = connection;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#open.delete(id)) {
        note('disconnected', { connection: id });
      }
    });
    const refusal = this.#chooseRefusal();
    const greeting = refusal === null ? takeSecret('greeting', faults, credentials) : null;
    socket.on('error', (error) => note('socket-error', { connection: id, message: error.message }));
    if (refusal !== null) {
      note('refused', { connection: id, from, how: refusal });
      refuse(socket, refusal);
      return;
    }
    if (greeting !== null) {
      note('refused', { connection: id, from, how: greeting });
      socket.end(`${greeting}\r\n`);
      return;
    }
    note('connected', { connection: id, from });
    this.#open.set(id, connection);
    this.#converse(connection).catch((error: unknown) => {
      note('defect', { connection: id, message: messageOf(error) });
      socket.destroy();
    });
  }

  async #converse(connection: Connection): Promise<void> {
    const { acceptMs, clock, onConnection } = this.#options;
    if (acceptMs > 0) {
      await clock.sleep(acceptMs);
    }
    if (!connection.socket.destroyed) {
      await onConnection(connection);
    }
  }

  #chooseRefusal(): Refusal | null {
    const { faults, sessionLimit } = this.#options;
    const full = faults.take('sessions-full');
    if (full || this.#open.size >= sessionLimit()) {
      return full?.value === 'reset' ? 'reset' : 'full';
    }
    return (['closed-early', 'hang', 'not-ssh'] as const).find((fault) => faults.take(fault)) ?? null;
  }
}

function refuse(socket: Socket, how: Refusal): void {
  if (how === 'reset') {
    socket.resetAndDestroy();
  } else if (how === 'not-ssh') {
    socket.once('data', () => socket.end(httpAnswer));
  } else if (how === 'hang') {
    socket.resume();
  } else {
    socket.destroy();
  }
}
