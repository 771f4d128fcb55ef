// Clients that send a whole POST and then reset their connection, at a different moment each.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { raw } from './actors.ts';

export interface LeavingClients {
  url: URL;
  headers: Readonly<Record<string, string>>;
  message: unknown;
  count: number;
  /** Requests of each client, sent together on its connection (pipelined); 1 when absent. */
  each?: number;
}

/** Clients that sent everything; `reset` ends their connections with a TCP reset. */
export async function sendAndStay({ url, headers, message, count, each = 1 }: LeavingClients) {
  const body = JSON.stringify(message);
  const head = Object.entries({
    host: url.host,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  const text = `POST ${url.pathname} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`.repeat(each);
  const sockets = await Promise.all(Array.from({ length: count }, () => send(url, text)));
  return {
    reset() {
      for (const socket of sockets) {
        socket.resetAndDestroy();
      }
    },
  };
}

/** Resolves once the server has answered a request that was sent after everything else. */
export async function serverHasRead(url: URL): Promise<void> {
  await raw(url, { method: 'GET', path: '/nothing' });
}

/** All of them leave: client n after n modulo `moments` turns of the event loop. */
export async function sendAndReset(clients: LeavingClients, moments: number): Promise<void> {
  const leave = async (turns: number) => {
    const one = await sendAndStay({ ...clients, count: 1 });
    for (let turn = 0; turn < turns; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    one.reset();
  };
  await Promise.all(Array.from({ length: clients.count }, (_, at) => leave(at % moments)));
}

async function send(url: URL, text: string): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}
