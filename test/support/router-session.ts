// A real SSH client for tests of the simulated routers: opens a shell, types, and waits for what should appear.
import ssh2, { type ClientChannel, type ConnectConfig } from 'ssh2';

export interface RouterSession extends AsyncDisposable {
  readonly client: ssh2.Client;
  readonly channel: ClientChannel;
  /** Everything received since the last `type` or `clear`. */
  bytes(): Buffer;
  text(encoding?: string): string;
  clear(): void;
  /** Sends exactly this. */
  type(text: string): void;
  /** Waits until what was received matches; returns it. Rejects when the channel closes first. */
  until(pattern: RegExp): Promise<string>;
  /** Types the line with CR and waits for a prompt at the end. */
  run(line: string): Promise<string>;
  readonly closed: Promise<void>;
}

/** Where a router listens and who may log in: a simulator, or what a program prints of one. */
export interface Reachable {
  readonly url: URL;
  readonly credentials: { readonly user: string; readonly password: string };
}

export const promptPattern = /(^|\n)[\w().[\]-]*[>#] ?$/;

/** What a client needs to log in to the router. */
export function loginTo(router: Reachable, extra: Partial<ConnectConfig> = {}): ConnectConfig {
  return {
    host: '127.0.0.1',
    port: Number(router.url.port),
    username: router.credentials.user,
    password: router.credentials.password,
    readyTimeout: 15_000,
    ...extra,
  };
}

/** Connects; rejects with the client's error. */
export function connect(config: ConnectConfig): Promise<ssh2.Client> {
  const client = new ssh2.Client();
  return new Promise((resolve, reject) => {
    client.once('ready', () => {
      client.setNoDelay(true);
      resolve(client);
    });
    // A broken connection may tell more than one error; the first one is the reason.
    client.on('error', (error) => {
      reject(error);
      client.destroy();
    });
    client.once('close', () => reject(new Error('closed before the login')));
    client.on('keyboard-interactive', (_name, _text, _lang, _prompts, finish) => finish([String(config.password)]));
    client.connect(config);
  });
}

/** Logs in and opens a shell. Waits for the first prompt unless told not to. */
export async function openSession(
  router: Reachable,
  options: { login?: Partial<ConnectConfig>; awaitPrompt?: boolean } = {},
): Promise<RouterSession> {
  const client = await connect(loginTo(router, options.login));
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.shell({ term: 'vt100' }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  let received: Buffer[] = [];
  let open = true;
  let check = () => {};
  const text = (encoding = 'utf-8') => new TextDecoder(encoding).decode(Buffer.concat(received));
  channel.on('data', (bytes: Buffer) => {
    received.push(bytes);
    check();
  });
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      open = false;
      check();
      resolve();
    };
    channel.once('close', end);
    client.once('close', end);
  });
  const session: RouterSession = {
    client,
    channel,
    closed,
    bytes: () => Buffer.concat(received),
    text,
    clear: () => {
      received = [];
    },
    type(typed) {
      received = [];
      channel.write(typed);
    },
    until: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (pattern.test(text('latin1'))) {
            check = () => {};
            resolve(text());
          } else if (!open) {
            reject(new Error(`closed before ${pattern} came; received ${JSON.stringify(text().slice(-200))}`));
          }
        };
        check();
      }),
    run(line) {
      session.type(`${line}\r`);
      return session.until(promptPattern);
    },
    async [Symbol.asyncDispose]() {
      // Not `end` first: after it `destroy` does nothing, and a router that reads no more would never close.
      client.destroy();
      await closed;
    },
  };
  if (options.awaitPrompt !== false) {
    await session.until(promptPattern);
  }
  return session;
}
