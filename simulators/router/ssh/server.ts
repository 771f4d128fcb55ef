// The SSH half of a router, on sockets handed to it: host key, algorithms, login methods, pty and shell. Nothing else
// is granted: exec, subsystems and SFTP are refused, as on both vendors.
import { createHash, generateKeyPair } from 'node:crypto';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import ssh2, {
  type Algorithms,
  type AuthContext,
  type AuthenticationType,
  type ServerChannel,
  type Connection as SshConnection,
} from 'ssh2';
import type { LoginMethod, SshOffer } from '../profiles.ts';
import type { CutKind, Wire } from '../terminal/output.ts';

export interface HostKey {
  /** PKCS#1 PEM. */
  pem: string;
  /** SHA-256 of the public key, 64 hex digits. */
  fingerprint: string;
}

/** One TCP connection on its way to a session. */
export interface Connection {
  /** Counts up from 1. */
  id: number;
  socket: Socket;
  from: string;
}

export interface SshHandlers {
  methods: (connection: Connection) => readonly string[];
  login: (connection: Connection, method: LoginMethod, user: string, password: string) => boolean;
  ready: (connection: Connection, user: string) => void;
  /** Called when a shell is open; returns where typed bytes go. */
  shell: (connection: Connection, user: string, wire: Wire) => (bytes: Uint8Array) => void;
  note: (kind: string, details: Record<string, unknown>) => void;
}

export interface SshServerOptions {
  offer: Pick<SshOffer, 'ident' | 'kex' | 'cipher' | 'hmac'>;
  hostKey: HostKey;
  /** Old boxes sign with SHA-1 only. */
  sha1Only: boolean;
  /** Userauth banner (`banner login`); null = none. */
  banner: string | null;
}

/** Failed attempts after which the connection is closed (`authentication-retries`). */
const attempts = 3;

const generate = promisify(generateKeyPair);

/** Host keys of ended simulators, by size, for reuse: to make one is the slowest part of a start. */
const spareKeys = new Map<number, HostKey[]>();

/** An RSA host key that no other running simulator of this process has; `releaseHostKeys` it when its simulator ends. */
export async function takeHostKey(bits: number): Promise<HostKey> {
  return spareKeys.get(bits)?.shift() ?? (await createHostKey(bits));
}

/** Leaves keys to the next simulators. */
export function releaseHostKeys(bits: number, keys: readonly HostKey[]): void {
  spareKeys.set(bits, [...(spareKeys.get(bits) ?? []), ...keys]);
}

async function createHostKey(bits: number): Promise<HostKey> {
  const { privateKey } = await generate('rsa', { modulusLength: bits });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const parsed = ssh2.utils.parseKey(pem);
  if (parsed instanceof Error) {
    throw parsed;
  }
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return { pem, fingerprint: createHash('sha256').update(key.getPublicSSH()).digest('hex') };
}

/** A server without a port of its own: every socket given to `accept` gets an SSH conversation. */
export interface SshServer {
  accept(connection: Connection): void;
}

export function createSshServer(options: SshServerOptions, handlers: SshHandlers): SshServer {
  const { offer, hostKey } = options;
  const connections = new Map<string, Connection>();
  const server = new ssh2.Server(
    {
      hostKeys: [hostKey.pem],
      ident: offer.ident,
      algorithms: toAlgorithms(options),
      ...(options.banner === null ? {} : { banner: options.banner }),
    },
    (client, info) => {
      const connection = connections.get(`${info.ip} ${info.port}`);
      if (connection) {
        acceptRepeatedService(client);
        converse(client, connection, handlers);
      }
    },
  );
  return {
    accept(connection) {
      const key = `${connection.socket.remoteAddress} ${connection.socket.remotePort}`;
      connections.set(key, connection);
      connection.socket.once('close', () => connections.delete(key));
      server.injectSocket(connection.socket);
    },
  };
}

function toAlgorithms({ offer, sha1Only }: SshServerOptions): Algorithms {
  return {
    kex: [...offer.kex] as NonNullable<Algorithms['kex']> & string[],
    cipher: [...offer.cipher] as NonNullable<Algorithms['cipher']> & string[],
    hmac: [...offer.hmac] as NonNullable<Algorithms['hmac']> & string[],
    serverHostKey: sha1Only ? ['ssh-rsa'] : ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
  } as Algorithms;
}

interface ServiceProtocol {
  _protocol: {
    _handlers: { SERVICE_REQUEST: (protocol: unknown, service: string) => void };
    serviceAccept(service: string): void;
  };
}

/**
 * Lets a client request the authentication service again, as paramiko does before its next method (RFC 4253, section 10).
 * Routers grant it; the library would disconnect, and has no public way to change that.
 */
function acceptRepeatedService(client: SshConnection): void {
  const protocol = (client as unknown as ServiceProtocol)._protocol;
  const { SERVICE_REQUEST: handleFirst } = protocol._handlers;
  let isRepeated = false;
  client.once('ready', () => {
    isRepeated = false;
  });
  protocol._handlers.SERVICE_REQUEST = (sender, service) => {
    if (isRepeated && service === 'ssh-userauth') {
      protocol.serviceAccept(service);
    } else {
      isRepeated = true;
      handleFirst(sender, service);
    }
  };
}

function converse(client: SshConnection, connection: Connection, handlers: SshHandlers): void {
  let user = '';
  let failures = 0;
  client.on('error', (error) => handlers.note('ssh-error', { connection: connection.id, message: error.message }));

  const refuse = (context: AuthContext) => {
    failures += context.method === 'none' ? 0 : 1;
    context.reject([...handlers.methods(connection)] as AuthenticationType[]);
    if (failures >= attempts) {
      client.end();
    }
  };
  const judge = (context: AuthContext, method: LoginMethod, password: string) => {
    if (handlers.login(connection, method, context.username, password)) {
      user = context.username;
      context.accept();
    } else {
      refuse(context);
    }
  };

  client.on('authentication', (context) => {
    const offered: readonly string[] = handlers.methods(connection);
    if (!offered.includes(context.method)) {
      refuse(context);
    } else if (context.method === 'password') {
      judge(context, 'password', context.password);
    } else if (context.method === 'keyboard-interactive') {
      context.prompt([{ prompt: 'Password: ', echo: false }], (answers) =>
        judge(context, 'keyboard-interactive', answers[0] ?? ''),
      );
    } else {
      handlers.note('login', {
        connection: connection.id,
        method: context.method,
        user: context.username,
        accepted: false,
      });
      refuse(context);
    }
  });

  client.on('ready', () => handlers.ready(connection, user));
  client.on('session', (accept) => {
    const session = accept();
    let open = false;
    session.on('pty', (acceptPty) => acceptPty?.());
    session.on('window-change', (acceptChange) => acceptChange?.());
    session.on('shell', (acceptShell, reject) => {
      if (open) {
        reject();
        return;
      }
      open = true;
      const channel = acceptShell();
      const feed = handlers.shell(connection, user, createWire(channel, client, connection.socket));
      channel.on('data', feed);
    });
    session.on('exec', (_accept, reject, info) => {
      handlers.note('request-refused', { connection: connection.id, request: 'exec', line: info.command });
      reject();
    });
    session.on('subsystem', (_accept, reject, info) => {
      handlers.note('request-refused', { connection: connection.id, request: `subsystem ${info.name}` });
      reject();
    });
  });
}

function createWire(channel: ServerChannel, client: SshConnection, socket: Socket): Wire {
  const closed = new AbortController();
  const end = () => closed.abort();
  channel.on('close', end);
  client.on('close', end);
  channel.on('error', end);

  const cuts: Readonly<Record<CutKind, () => void>> = {
    exit: () => {
      channel.once('close', () => client.end());
      channel.exit(0);
      channel.end();
    },
    close: () => channel.close(),
    end: () => client.end(),
    destroy: () => socket.destroy(),
    reset: () => socket.resetAndDestroy(),
    freeze: () => socket.pause(),
  };

  return {
    closed: closed.signal,
    write: (bytes) => channel.write(bytes),
    drained: () =>
      new Promise((resolve) => {
        const go = () => {
          channel.off('drain', go);
          closed.signal.removeEventListener('abort', go);
          resolve();
        };
        channel.once('drain', go);
        closed.signal.addEventListener('abort', go, { once: true });
      }),
    cut: (how) => {
      cuts[how]();
      if (how !== 'freeze') {
        end();
      }
    },
  };
}
