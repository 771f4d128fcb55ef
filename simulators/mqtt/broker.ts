// One simulated MQTT broker: aedes on plain TCP and on TLS, misbehaviour around it, and the control surface.
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Aedes, type Client } from 'aedes';
import { messageOf } from '#kernel/errors.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createArmedFaults } from '../support/armed-faults.ts';
import { baseControl } from '../support/base-control.ts';
import { type Certificate, createAuthority } from '../support/certificates.ts';
import { createJournal } from '../support/journal.ts';
import { requireLoopback } from '../support/loopback.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { type BrokerControl, type BrokerSettings, type Message, parseBrokerPatch } from './control.ts';
import { type BrokerFault, requireFaultOptions } from './faults.ts';

export interface BrokerOptions extends Partial<BrokerSettings>, SimulatorOptions {
  /** The same for MQTT over TLS. */
  tlsPort?: number;
  /** A certificate of the broker's own CA, for the host and `localhost`, when absent. */
  certificate?: Certificate;
}

export interface BrokerSimulator extends Simulator<BrokerControl> {
  /** Such as `mqtts://127.0.0.1:8883`. */
  readonly tlsUrl: URL;
  /** PEM text of the CA behind the TLS certificate; null when one was given. */
  readonly ca: string | null;
}

const mostMessages = 10_000;

/** Starts a broker; `url` is like `mqtt://127.0.0.1:1883`. */
export async function startBroker(options: BrokerOptions = {}): Promise<BrokerSimulator> {
  const { host = '127.0.0.1', clock = systemClock, user = null, password = null } = options;
  requireLoopback(host, options.allowNonLoopback);
  const settings: BrokerSettings = { user, password };
  const messages: Message[] = [];
  /** Topics that hold a message for who subscribes later. */
  const retained = new Set<string>();
  const faults = createArmedFaults<BrokerFault>();
  const stopped = new AbortController();
  const sockets = new Set<Socket>();
  const journal = createJournal({
    clock,
    secrets: () => [settings.password ?? ''],
    onEntry: options.onEntry,
  });
  const note = journal.add;
  const take = (fault: BrokerFault) => {
    const armed = faults.take(fault);
    if (armed) {
      note('fault', { fault });
    }
    return armed;
  };

  const broker = await Aedes.createBroker({
    authenticate(client, name, secret, done) {
      const refuse = (returnCode: 3 | 5, reason: string) => {
        note('login-refused', { client: client.id, user: name ?? null, reason });
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
        note('connected', { client: client.id, user: name ?? null, version: client.version, clean: client.clean });
        done(null, true);
      }
    },
    authorizePublish(client, packet, done) {
      if (take('drop-on-publish')) {
        client?.conn.destroy();
      } else if (packet.qos === 0 || !take('no-ack')) {
        keep(client, packet);
        done(null);
      }
    },
  });
  const keep = (
    client: Client | null,
    { topic, payload, qos, retain }: { topic: string; payload: string | Buffer; qos: 0 | 1 | 2; retain: boolean },
  ) => {
    const message = { topic, payload: payload.toString(), qos, retain, client: client?.id ?? null };
    messages.push(message);
    messages.splice(0, messages.length - mostMessages);
    if (retain) {
      retained.add(topic);
    }
    note('publish', { ...message });
  };
  broker.on('clientDisconnect', ({ id }) => note('disconnected', { client: id }));
  broker.on('clientError', ({ id }, error) => note('client-error', { client: id, reason: messageOf(error) }));
  broker.on('connectionError', (_client, error) => note('connection-error', { reason: messageOf(error) }));
  broker.on('subscribe', (subscriptions, { id }) =>
    note('subscribe', { client: id, topics: subscriptions.map(({ topic }) => topic).join(' ') }),
  );

  /** Takes a connection over, on either port, or lets a fault have it. */
  const accept = async (socket: Socket | TLSSocket): Promise<void> => {
    if (take('silent')) {
      return;
    }
    if (take('not-mqtt')) {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const slow = take('slow');
    if (slow) {
      await clock.sleep(Number(slow.value ?? 5000), stopped.signal).catch(() => undefined);
    }
    if (!socket.destroyed && !stopped.signal.aborted) {
      broker.handle(socket);
    }
  };
  const onSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that goes away is part of the game; `close` follows.
    socket.on('error', () => undefined);
  };
  const onConnection = (socket: Socket) => {
    accept(socket).catch((error: unknown) => {
      note('broken', { reason: messageOf(error) });
      socket.destroy();
    });
  };

  const authority = options.certificate ? null : await createAuthority();
  const certificate = options.certificate ?? (await authority?.issue([host, 'localhost']));
  const plain = createServer((socket) => {
    onSocket(socket);
    if (take('closed-early')) {
      socket.destroy();
    } else {
      onConnection(socket);
    }
  });
  const secure = createTlsServer({ ...certificate }, onConnection);
  secure.on('connection', (socket: Socket) => {
    onSocket(socket);
    if (take('closed-early')) {
      socket.destroy();
    }
  });
  secure.on('tlsClientError', (error) => note('tls-refused', { reason: messageOf(error) }));
  const url = new URL(`mqtt://${await listen(plain, host, options.port)}`);
  const tlsUrl = new URL(`mqtts://${await listen(secure, host, options.tlsPort)}`);

  const publish = (message: Omit<Message, 'client'>) =>
    new Promise<void>((resolve, reject) => {
      broker.publish({ cmd: 'publish', dup: false, ...message }, (error) => (error ? reject(error) : resolve()));
    });

  const control: BrokerControl = {
    ...baseControl(faults, journal, requireFaultOptions),
    messages,
    get settings() {
      return settings;
    },
    reset() {
      faults.clear();
      Object.assign(settings, { user, password });
      for (const socket of sockets) {
        socket.destroy();
      }
      for (const topic of retained) {
        // An empty retained message is how MQTT forgets one.
        broker.publish({ cmd: 'publish', dup: false, topic, payload: '', qos: 0, retain: true }, () => undefined);
      }
      retained.clear();
      messages.length = 0;
      journal.clear();
    },
    state: () => ({
      url: url.href,
      tlsUrl: tlsUrl.href,
      ca: authority?.cert ?? null,
      user: settings.user,
      clients: broker.connectedClients,
      connections: sockets.size,
      messages: messages.length,
      faults: faults.list(),
    }),
    patch(change) {
      const parsed = parseBrokerPatch(change);
      Object.assign(settings, Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined)));
    },
    async publish({ topic, payload, qos = 0, retain = false }) {
      keep(null, { topic, payload, qos, retain });
      await publish({ topic, payload, qos, retain });
    },
  };

  return {
    url,
    tlsUrl,
    ca: authority?.cert ?? null,
    control,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      await Promise.all([close(plain, sockets), close(secure, sockets)]);
    },
  };
}
