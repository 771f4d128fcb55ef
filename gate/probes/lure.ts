// An address of loopback that forged tokens name as the place of their keys. Nothing is served there: an endpoint that
// connects to it believes what a token says about its own keys, whether or not it accepts that token in the end.
import { createServer } from 'node:net';
import { close, listen } from '#kernel/listening.ts';

export interface Lure extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Whether somebody connected. */
  readonly isFollowed: boolean;
}

export async function startLure(): Promise<Lure> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
    socket.destroy();
  });
  const origin = `https://${await listen(server)}`;
  return {
    origin,
    get isFollowed() {
      return connections > 0;
    },
    [Symbol.asyncDispose]: () => close(server),
  };
}
