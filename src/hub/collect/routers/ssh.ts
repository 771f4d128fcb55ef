// The one file that speaks SSH as a client: connects, checks the host key, logs in, and hands over a Shell.
import { createHash, timingSafeEqual } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Client, ClientChannel, ConnectConfig } from 'ssh2';
import { type Clock, withDeadline, yieldToEventLoop } from '#kernel/time/clock.ts';
import type { Shell } from './driver.ts';
import { learnPrompt } from './shell/prompt-learning.ts';
import { createSecrecy } from './shell/secrecy.ts';
import { createShell } from './shell/shell.ts';
import { type Attempt, shellRefused, sshFailure, sshTimeout } from './shell/ssh-failure.ts';
import { type Channel, createTerminal } from './shell/terminal.ts';

export interface ShellOptions {
  host: string;
  port: number;
  user: string;
  password: string;
  /** Texts besides the password that the device may know and must not have shown, such as the enable secret. */
  secrets?: readonly string[];
  /** Also offer SHA-1 key exchange, CBC ciphers and old MACs, for firmware that has nothing else. */
  legacyAlgorithms: boolean;
  /** SHA-256 of the host key, lower-case hex; `null` trusts the key presented and reports it. */
  pinnedHostFp: string | null;
  clock: Clock;
  signal?: AbortSignal;
  /** From connecting to the end of the login; 10,000 when absent. */
  handshakeMs?: number;
  /** From the open shell to the first prompt; 8000 when absent. */
  promptMs?: number;
  /** Longest silence within an answer; 15,000 when absent. */
  idleMs?: number;
  /** Time without a byte after which what the device shows counts as settled; 300 when absent. */
  settleMs?: number | undefined;
  /** Idle time after which TCP keep-alive probes the peer; 15,000 when absent. */
  keepAliveMs?: number;
  /** WHATWG label of the first encoding; `utf-8` when absent. */
  encoding?: string;
  /** Sees what both sides agreed on, and everything that goes over the channel: a capture is made of it. */
  observer?: ShellObserver;
}

export interface ShellObserver {
  loggedIn(facts: Pick<Attempt, 'identification' | 'methods' | 'algorithms'>): void;
  /** Returns the channel to use instead. */
  watch(channel: Channel): Channel;
}

/**
 * Connects and logs in. Rejects with a ShellError of one of the classes of `FailureClass`, or with the signal's reason.
 * A dead peer is found by TCP keep-alive: old routers do not answer SSH's own.
 */
export async function openShell(options: ShellOptions): Promise<Shell> {
  options.signal?.throwIfAborted();
  const handshakeMs = options.handshakeMs ?? 10_000;
  const attempt = newAttempt(options);
  // Loaded with the first use: a start does not wait for it.
  const ssh2 = await import('ssh2');
  options.signal?.throwIfAborted();
  const client = new ssh2.Client();
  const socket = connect({ host: options.host, port: options.port });
  const close = (): void => {
    client.end();
    socket.destroy();
  };
  try {
    const hostFp = await withDeadline(
      options.clock,
      handshakeMs,
      () => sshTimeout(attempt, handshakeMs),
      options.signal,
      (signal) => logIn(client, socket, attempt, options, signal),
    );
    const stream = await openStream(client, attempt, options, handshakeMs);
    options.observer?.loggedIn(attempt);
    const channel = toChannel(stream, client, close);
    const terminal = createTerminal(options.observer?.watch(channel) ?? channel, {
      clock: options.clock,
      idleMs: options.idleMs ?? 15_000,
      settleMs: options.settleMs,
      encoding: options.encoding ?? 'utf-8',
      secrecy: attempt.secrecy,
    });
    const { prompt, banner } = await learnPrompt(terminal, options.promptMs ?? 8000, options.signal);
    return createShell(terminal, prompt, banner, hostFp);
  } catch (error) {
    close();
    throw error;
  }
}

function newAttempt(options: ShellOptions): Attempt {
  return {
    address: `${options.host}:${options.port}`,
    phase: 'tcp',
    methods: null,
    answered: false,
    refusedHostFp: null,
    pinnedHostFp: options.pinnedHostFp,
    identification: '',
    algorithms: [],
    legacyAlgorithms: options.legacyAlgorithms,
    greeting: '',
    secrecy: createSecrecy([options.password, ...(options.secrets ?? [])]),
  };
}

/** Resolves to the SHA-256 of the host key once the user is logged in. */
function logIn(
  client: Client,
  socket: Socket,
  attempt: Attempt,
  options: ShellOptions,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let hostFp = '';
    const fail = (error: Error | null): void => reject(sshFailure(attempt, error));
    socket.setKeepAlive(true, options.keepAliveMs ?? 15_000);
    socket.setNoDelay(true);
    socket.on('error', fail);
    socket.once('connect', () => {
      attempt.phase = 'handshake';
    });
    sniffGreeting(socket, attempt);
    readInTurns(socket);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    client.on('handshake', () => {
      attempt.phase = 'auth';
    });
    client.once('ready', () => {
      attempt.phase = 'ready';
      resolve(hostFp);
    });
    client.on('error', fail);
    client.on('close', () => fail(null));
    client.connect({
      sock: socket,
      username: options.user,
      readyTimeout: 0,
      algorithms: options.legacyAlgorithms ? legacyAlgorithms : {},
      hostVerifier: (key: Buffer) => {
        hostFp = createHash('sha256').update(key).digest('hex');
        const isKnown = options.pinnedHostFp === null || sameFingerprint(hostFp, options.pinnedHostFp);
        attempt.refusedHostFp = isKnown ? null : hostFp;
        return isKnown;
      },
      authHandler: authHandler(options, attempt),
      debug: (text) => noteAlgorithms(attempt, text),
    } as ConnectConfig);
  });
}

const legacyAlgorithms = {
  kex: { append: ['diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'], prepend: [], remove: [] },
  cipher: { append: ['aes128-cbc', 'aes192-cbc', 'aes256-cbc', '3des-cbc'], prepend: [], remove: [] },
  serverHostKey: { append: ['ssh-rsa', 'ssh-dss'], prepend: [], remove: [] },
  hmac: { append: ['hmac-sha1', 'hmac-md5'], prepend: [], remove: [] },
};

function sameFingerprint(presented: string, pinned: string): boolean {
  const one = Buffer.from(presented);
  const other = Buffer.from(pinned.toLowerCase());
  return one.length === other.length && timingSafeEqual(one, other);
}

type NextAuth = (method: unknown) => void;

/** Asks which methods there are, then tries the password once, by one method only: a second try may lock the owner out. */
function authHandler(options: ShellOptions, attempt: Attempt) {
  return (offered: string[] | null, _partial: boolean | null, next: NextAuth): void => {
    if (offered === null) {
      next('none');
      return;
    }
    attempt.methods ??= offered;
    if (!attempt.answered && offered.includes('password')) {
      attempt.answered = true;
      next({ type: 'password', username: options.user, password: options.password });
    } else if (!attempt.answered && offered.includes('keyboard-interactive')) {
      next({ type: 'keyboard-interactive', username: options.user, prompt: answerPrompts(options, attempt) });
    } else {
      next(false);
    }
  };
}

type Prompts = { prompt: string; echo?: boolean }[];

/** A device that asks more at once does not want a password. */
const maxPrompts = 8;

function answerPrompts(options: ShellOptions, attempt: Attempt) {
  return (
    _name: string,
    _text: string,
    _language: string,
    prompts: Prompts,
    finish: (answers: string[]) => void,
  ): void => {
    const hidden = prompts.filter((prompt) => prompt.echo !== true);
    if ((hidden.length > 0 && attempt.answered) || prompts.length > maxPrompts) {
      finish([]);
      return;
    }
    attempt.answered ||= hidden.length > 0;
    finish(prompts.map((prompt) => (prompt.echo === true ? options.user : options.password)));
  };
}

/** The library's error names only the kind of algorithm; both lists stand in its debug lines, which hold no secret. */
function noteAlgorithms(attempt: Attempt, text: string): void {
  attempt.identification ||= /^Remote ident: ["'](.*)["']$/.exec(text)?.[1] ?? '';
  const parts = /^Handshake: \((local|remote)\) ([^:]+): (.*)$/.exec(text);
  if (!parts) {
    return;
  }
  const [, side, what = '', list = ''] = parts;
  const known = attempt.algorithms.find((algorithm) => algorithm.what === what);
  if (side === 'remote' && known) {
    known.theirs = list;
  } else if (side === 'local' && !known) {
    attempt.algorithms = [...attempt.algorithms, { what, ours: list.replaceAll(',', ', '), theirs: '' }];
  }
}

/** Keeps the first bytes when they are text instead of an SSH identification: some routers say there why they refuse. */
function sniffGreeting(socket: Socket, attempt: Attempt): void {
  socket.once('data', (bytes: Buffer) => {
    const text = bytes.subarray(0, 256).toString('latin1');
    attempt.greeting = text.startsWith('SSH-') ? '' : text;
  });
}

/** One chunk per turn of the event loop: from a fast router, libuv would read 32 in a row and keep all others waiting. */
function readInTurns(socket: Socket): void {
  socket.on('data', () => {
    socket.pause();
    void yieldToEventLoop().then(() => socket.resume());
  });
}

function openStream(client: Client, attempt: Attempt, options: ShellOptions, ms: number): Promise<ClientChannel> {
  return withDeadline(
    options.clock,
    ms,
    () => shellRefused(attempt, new Error('no answer to the request for a shell')),
    options.signal,
    (signal) =>
      new Promise<ClientChannel>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        client.once('close', () => reject(shellRefused(attempt, new Error('the connection was closed'))));
        client.shell({ term: 'vt100', cols: 511, rows: 1000 }, (error, stream) => {
          if (error) {
            reject(shellRefused(attempt, error));
          } else {
            resolve(stream);
          }
        });
      }),
  );
}

function toChannel(stream: ClientChannel, client: Client, close: () => void): Channel {
  return {
    write(text) {
      if (stream.writable) {
        stream.write(text);
      }
    },
    close,
    listen({ data, closed }) {
      let isClosed = false;
      const closeOnce = (): void => {
        if (!isClosed) {
          isClosed = true;
          closed();
        }
      };
      stream.on('data', data);
      stream.on('error', closeOnce);
      stream.on('close', closeOnce);
      client.on('close', closeOnce);
    },
  };
}
