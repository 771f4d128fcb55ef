// A server on loopback that forged tokens name as the location of their keys. It serves nothing: an endpoint that
// connects to it follows what a token says about its own keys, whether or not it accepts that token in the end.
import { createServer } from 'node:net';
import { close, listen } from '#kernel/http/listening.ts';

export interface Canary extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly wasContacted: boolean;
}

export async function startCanary(): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
    socket.destroy();
  });
  const origin = `https://${await listen(server)}`;
  return {
    origin,
    get wasContacted() {
      return connections > 0;
    },
    [Symbol.asyncDispose]: () => close(server),
  };
}
