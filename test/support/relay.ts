// A wire between two programs that a test can read, and stop: plain TCP on loopback, bytes as they are.
import { connect, createServer, type Socket } from 'node:net';
import { close, listen } from '#kernel/http/listening.ts';

export interface Relay extends AsyncDisposable {
  readonly url: URL;
  /** Everything the client side sent. */
  sent(): string;
  /** From now on nothing comes back: what is asked waits. */
  hold(): void;
  /** As `hold`, once so many bytes have come back from now on. */
  holdAfter(bytes: number): void;
  /** Breaks every connection where it stands; later ones work. */
  cut(): void;
  /** What was held back comes, and the wire works again. */
  letGo(): void;
  /** Connections that the client side ended while it waited. */
  readonly abandoned: number;
}

export async function startRelay(target: URL): Promise<Relay> {
  const pairs = new Set<{ client: Socket; upstream: Socket }>();
  let sent = '';
  let isHeld = false;
  let abandoned = 0;
  let bytesLeft = Number.POSITIVE_INFINITY;
  const hold = () => {
    isHeld = true;
    for (const { upstream } of pairs) {
      upstream.pause();
    }
  };
  const letGo = () => {
    isHeld = false;
    bytesLeft = Number.POSITIVE_INFINITY;
    for (const { upstream } of pairs) {
      upstream.resume();
    }
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair = { client, upstream };
    pairs.add(pair);
    client.on('data', (chunk) => {
      sent += chunk.toString('latin1');
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      client.write(chunk);
      bytesLeft -= chunk.length;
      if (bytesLeft <= 0) {
        hold();
      }
    });
    if (isHeld) {
      upstream.pause();
    }
    client
      .on('error', () => undefined)
      .on('close', () => {
        abandoned += isHeld ? 1 : 0;
        pairs.delete(pair);
        upstream.destroy();
      });
    upstream.on('error', () => undefined).on('close', () => client.destroy());
  });
  return {
    url: new URL(`http://${await listen(server)}`),
    sent: () => sent,
    hold,
    holdAfter(bytes) {
      bytesLeft = bytes;
    },
    cut() {
      for (const { client } of pairs) {
        client.destroy();
      }
      letGo();
    },
    letGo,
    get abandoned() {
      return abandoned;
    },
    async [Symbol.asyncDispose]() {
      isHeld = false;
      await close(
        server,
        [...pairs].flatMap(({ client, upstream }) => [client, upstream]),
      );
    },
  };
}
