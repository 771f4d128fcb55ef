// The port of the simulated web UI: every connection is TLS as the product has it, or what a fault makes of it.
import { createDiffieHellmanGroup } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer, type Socket } from 'node:net';
import forge from 'node-forge';
import { messageOf } from '#kernel/errors.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type Certificate, createSelfSigned } from '../support/certificates.ts';
import type { SimulatorBase } from '../support/simulator-base.ts';
import { type ConnectionFault, connectionFaults, type UpsFault } from './faults.ts';

export interface ListenerOptions {
  base: SimulatorBase<UpsFault>;
  certificate: Certificate;
  serve: RequestListener;
}

export interface Listener extends AsyncDisposable {
  readonly address: string;
  /** Connections so far, refused ones included. */
  readonly connections: number;
  /** Resets the TCP connection under the socket of a request, which may be a TLS socket. */
  reset(socket: Socket): void;
}

type Acceptor = { emit(event: 'connection', socket: Socket): boolean };
type Variant = ConnectionFault | 'usual';

export async function startListener({ base, certificate, serve }: ListenerOptions): Promise<Listener> {
  const { host, take, journal } = base;
  const open = new Map<string, Socket>();
  const acceptors = new Map<Variant, Promise<Acceptor>>();
  let connections = 0;

  const findAcceptor = (variant: Variant): Promise<Acceptor> => {
    const acceptor = acceptors.get(variant) ?? createAcceptor(variant);
    acceptors.set(variant, acceptor);
    return acceptor;
  };
  const createAcceptor = async (variant: Variant): Promise<Acceptor> => {
    if (variant === 'plain-http') {
      return createHttpServer(serve);
    }
    const server = createHttpsServer(await createTlsOptions(variant, host, certificate), serve);
    return server.on('tlsClientError', (error) => journal.add('tls-refused', { reason: messageOf(error) }));
  };
  const accept = async (socket: Socket) => {
    const variant = connectionFaults.find((fault) => take(fault)) ?? 'usual';
    if (variant === 'closed-early') {
      socket.destroy();
    } else if (variant !== 'silent') {
      (await findAcceptor(variant)).emit('connection', socket);
    }
  };

  await findAcceptor('usual');
  const server = createServer((socket) => {
    connections += 1;
    const client = clientKey(socket);
    open.set(client, socket);
    socket.on('close', () => open.delete(client));
    base.track(socket);
    base.guard(accept(socket), socket);
  });
  return {
    address: await base.listen(server),
    get connections() {
      return connections;
    },
    reset: (socket) => void open.get(clientKey(socket))?.resetAndDestroy(),
    [Symbol.asyncDispose]: () => base.close(server),
  };
}

/** What a TLS socket and the TCP socket under it have in common. */
function clientKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

async function createTlsOptions(variant: Variant, host: string, usual: Certificate): Promise<ServerOptions> {
  const names = [host, 'localhost'];
  // Above security level 0, OpenSSL refuses these old algorithms.
  const oldAlgorithms = { ciphers: 'ALL:@SECLEVEL=0' };
  switch (variant) {
    case 'tls-1.1-only':
      return { ...usual, ...oldAlgorithms, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' };
    case 'tls-dhe-1024':
      return {
        ...usual,
        ciphers: 'DHE-RSA-AES256-GCM-SHA384:@SECLEVEL=0',
        maxVersion: 'TLSv1.2',
        dhparam: dhParameters('modp2'),
      };
    case 'weak-certificate':
      return { ...(await createSelfSigned(names, { bits: 1024, digest: 'sha1' })), ...oldAlgorithms };
    case 'expired-certificate':
      return createSelfSigned(names, { validFromMs: -400 * dayMs, validToMs: -dayMs });
    case 'other-certificate':
      return createSelfSigned(names, { digest: 'sha512' });
    default:
      return usual;
  }
}

/** A well-known group as PKCS #3 has it: a sequence of prime and generator. */
function dhParameters(group: string): string {
  const { asn1, pem } = forge;
  const dh = createDiffieHellmanGroup(group);
  // A leading zero byte keeps an integer positive.
  const integers = [dh.getPrime(), dh.getGenerator()].map((number) =>
    asn1.create(asn1.Class.UNIVERSAL, asn1.Type.INTEGER, false, `\0${number.toString('latin1')}`),
  );
  const sequence = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, integers);
  return pem.encode({ type: 'DH PARAMETERS', body: asn1.toDer(sequence).getBytes() });
}
