// One simulated MQTT broker: aedes on plain TCP and on TLS, misbehaviour around it, and the control surface.
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { Aedes, type AedesOptions, type Client } from 'aedes';
import { messageOf } from '#kernel/errors.ts';
import { type Certificate, createAuthority } from '../support/certificates.ts';
import { parseChange, pickDefined } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { type BrokerControl, type BrokerSettings, type Message, patchSchema } from './control.ts';
import { type BrokerFault, brokerFaults, requireFaultOptions } from './faults.ts';

export interface BrokerOptions extends Partial<BrokerSettings>, SimulatorOptions {
  /** The same for MQTT over TLS. */
  tlsPort?: number;
  /** A certificate of the broker's own CA, for the host and `localhost`, when absent. */
  certificate?: Certificate;
}

export interface BrokerSimulator extends BrokerControl, Simulator {
  /** Such as `mqtts://127.0.0.1:8883`. */
  readonly tlsUrl: URL;
  /** PEM text of the CA behind the TLS certificate; null when one was given. */
  readonly ca: string | null;
}

const mostMessages = 10_000;

/** Starts an MQTT broker; `url` is plain TCP, like `mqtt://127.0.0.1:1883`, and `tlsUrl` TLS, which the certificate `ca` verifies. */
export async function startBroker(options: BrokerOptions = {}): Promise<BrokerSimulator> {
  const { user = null, password = null } = options;
  const settings: BrokerSettings = { user, password };
  const base = createSimulatorBase<BrokerFault>(options, {
    faults: brokerFaults,
    secrets: () => [settings.password ?? ''],
    requireOptions: requireFaultOptions,
  });
  const messages = new MessageLog(base);
  const broker = await Aedes.createBroker(createPolicy(base, settings, messages));
  noteEvents(broker, base);
  const authority = options.certificate ? null : await createAuthority();
  const certificate = options.certificate ?? (await authority?.issue([base.host, 'localhost']));
  const plain = createPlainServer(base, broker);
  const secure = createSecureServer(base, broker, { ...certificate });
  await using started = new AsyncDisposableStack();
  started.defer(async () => {
    base.stop();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    await base.close(plain, secure);
  });
  const url = new URL(`mqtt://${await base.listen(plain)}`);
  const tlsUrl = new URL(`mqtts://${await base.listen(secure, options.tlsPort ?? 0)}`);
  const ca = authority?.cert ?? null;

  const control: BrokerControl = {
    ...base.control,
    messages: messages.list,
    settings,
    reset() {
      base.faults.clear();
      Object.assign(settings, { user, password });
      for (const socket of base.sockets) {
        socket.destroy();
      }
      for (const topic of messages.takeRetained()) {
        // MQTT forgets a retained message when an empty one is published.
        broker.publish({ cmd: 'publish', dup: false, topic, payload: '', qos: 0, retain: true }, () => undefined);
      }
      base.journal.clear();
    },
    state: () => ({
      url: url.href,
      tlsUrl: tlsUrl.href,
      ca,
      user: settings.user,
      clients: broker.connectedClients,
      connections: base.sockets.size,
      messages: messages.list.length,
      faults: base.faults.list(),
    }),
    patch(change) {
      Object.assign(settings, pickDefined(parseChange(patchSchema, change)));
    },
    async publish({ topic, payload, qos = 0, retain = false }) {
      const message = { topic, payload, qos, retain };
      messages.add(null, message);
      await new Promise<void>((resolve, reject) => {
        broker.publish({ cmd: 'publish', dup: false, ...message }, (error) => (error ? reject(error) : resolve()));
      });
    },
  };

  const running = started.move();
  return toRunning(control, { url, tlsUrl, ca, [Symbol.asyncDispose]: () => running.disposeAsync() });
}

type Base = SimulatorBase<BrokerFault>;

/** The newest messages that were published, and the topics that hold a message for later subscribers. */
class MessageLog {
  readonly list: Message[] = [];
  readonly #retained = new Set<string>();
  readonly #base: Base;

  constructor(base: Base) {
    this.#base = base;
  }

  add(client: Client | null, packet: { topic: string; payload: string | Buffer; qos: 0 | 1 | 2; retain: boolean }) {
    const { topic, payload, qos, retain } = packet;
    const message = { topic, payload: payload.toString(), qos, retain, client: client?.id ?? null };
    this.list.push(message);
    this.list.splice(0, this.list.length - mostMessages);
    if (retain) {
      this.#retained.add(topic);
    }
    this.#base.journal.add('publish', message);
  }

  /** Empties the log; returns the topics with a retained message. */
  takeRetained(): readonly string[] {
    const topics = [...this.#retained];
    this.#retained.clear();
    this.list.length = 0;
    return topics;
  }
}

/** Who may connect, and what becomes of a published message. */
function createPolicy(base: Base, settings: BrokerSettings, messages: MessageLog): AedesOptions {
  const { take, journal } = base;
  return {
    authenticate(client, name, secret, done) {
      const refuse = (returnCode: 3 | 5, reason: string) => {
        journal.add('login-refused', { client: client.id, user: name ?? null, reason });
        done(Object.assign(new Error(reason), { returnCode }), false);
      };
      const isWrong = settings.user !== null && (name !== settings.user || String(secret ?? '') !== settings.password);
      if (take('unavailable')) {
        refuse(3, 'unavailable');
      } else if (take('auth-refused')) {
        refuse(5, 'fault');
      } else if (isWrong) {
        refuse(5, name === undefined ? 'no user name' : 'wrong user name or password');
      } else {
        const { id, version, clean } = client;
        journal.add('connected', { client: id, user: name ?? null, version, clean });
        done(null, true);
      }
    },
    authorizePublish(client, packet, done) {
      if (take('drop-on-publish')) {
        client?.conn.destroy();
      } else if (packet.qos === 0 || !take('no-ack')) {
        messages.add(client, packet);
        done(null);
      }
    },
  };
}

function noteEvents(broker: Aedes, { journal }: Base): void {
  broker.on('clientDisconnect', ({ id }) => journal.add('disconnected', { client: id }));
  broker.on('clientError', ({ id }, error) => journal.add('client-error', { client: id, reason: messageOf(error) }));
  broker.on('connectionError', (_client, error) => journal.add('connection-error', { reason: messageOf(error) }));
  broker.on('subscribe', (subscriptions, { id }) =>
    journal.add('subscribe', { client: id, topics: subscriptions.map(({ topic }) => topic).join(' ') }),
  );
}

function createPlainServer(base: Base, broker: Aedes) {
  return createServer((socket) => {
    base.track(socket);
    if (base.take('closed-early')) {
      socket.destroy();
    } else {
      base.guard(accept(base, broker, socket), socket);
    }
  });
}

function createSecureServer(base: Base, broker: Aedes, certificate: Partial<Certificate>): TlsServer {
  const server = createTlsServer(certificate, (socket) => base.guard(accept(base, broker, socket), socket));
  server.on('connection', (socket: Socket) => {
    base.track(socket);
    if (base.take('closed-early')) {
      socket.destroy();
    }
  });
  return server.on('tlsClientError', (error) => base.journal.add('tls-refused', { reason: messageOf(error) }));
}

/** Hands a connection to the broker, unless a fault answers it. */
async function accept({ take, delay, stopped }: Base, broker: Aedes, socket: Socket): Promise<void> {
  if (take('silent')) {
    return;
  }
  if (take('not-mqtt')) {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  await delay(take('slow'));
  if (!socket.destroyed && !stopped.aborted) {
    broker.handle(socket);
  }
}
