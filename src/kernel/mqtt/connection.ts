// A connection to an MQTT broker over the npm library "mqtt". upsget runs without packages: the library is loaded on demand.
import { createRequire } from 'node:module';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { IClientOptions, MqttClient } from 'mqtt';
import type { Message } from './message.ts';

export type Qos = 0 | 1 | 2;

export interface Broker {
  host: string;
  port: number;
  tls: boolean;
  /** PEM text of the only authorities to trust; null: those of Node. */
  ca: string | Buffer | null;
  user: string | null;
  password: string | null;
  /** Resolves the host; `dns.lookup` when absent. */
  lookup?: LookupFunction;
  /** What the broker publishes, with QoS 1, when the connection breaks. */
  will?: Message;
}

export interface MqttConnection {
  /** Resolves when the broker has taken the message: with QoS 1 and 2, when it has acknowledged it. */
  publish(message: Message, qos: Qos, signal: AbortSignal): Promise<void>;
  /** Calls `listener` with every message of the topics. */
  subscribe(topics: readonly string[], signal: AbortSignal, listener: (message: Message) => void): Promise<void>;
  /** Rejects when the connection has ended or failed. */
  lost: Promise<never>;
  /** Ends the connection in order, so that the broker publishes no will. */
  end(signal: AbortSignal): Promise<void>;
  /** Drops the connection, so that the broker publishes the will. */
  abandon(): void;
}

/** The constructor of the library. Throws an error with the code MODULE_NOT_FOUND when it is not installed, else one that says why. */
function loadClient(): new (open: () => Socket, options: IClientOptions) => MqttClient {
  // Resolved from this file or NODE_PATH, never from the current folder: it is not trusted.
  try {
    return createRequire(import.meta.url)('mqtt').MqttClient;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') {
      throw error;
    }
    throw new Error(`the library "mqtt" cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}

/** Connects once, without any reconnection. Rejects with the error of the socket, of the broker, or of the signal. */
export async function connectMqtt(broker: Broker, signal: AbortSignal): Promise<MqttConnection> {
  const Client = loadClient();
  // Before the library sends the password: the socket is open, and its certificate verified.
  const socket = await openSocket(broker, signal);
  const client = new Client(() => socket, toClientOptions(broker));
  const connected = new Promise<void>((resolve) => client.on('connect', () => resolve()));
  const lost = new Promise<never>((_resolve, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('the broker closed the connection')));
  });
  lost.catch(() => {});
  const settled = <T>(work: Promise<T>, by: AbortSignal) => untilAborted(Promise.race([work, lost]), by);
  const abandon = () => void client.endAsync(true).catch(() => {});
  try {
    await settled(connected, signal);
  } catch (error) {
    abandon();
    throw error;
  }
  return {
    publish: async ({ topic, payload, retain }, qos, by) => {
      await settled(client.publishAsync(topic, payload, { qos, retain }), by);
    },
    async subscribe(topics, by, listener) {
      client.on('message', (topic, payload, { retain }) => listener({ topic, payload: payload.toString(), retain }));
      await settled(client.subscribeAsync([...topics], { qos: 1 }), by);
    },
    lost,
    end: (by) => untilAborted(client.endAsync(), by),
    abandon,
  };
}

function toClientOptions({ user, password, will }: Broker): IClientOptions {
  return {
    // Disables the endless reconnects of the library; the caller's signal ends the wait for the broker sooner.
    reconnectPeriod: 0,
    connectTimeout: 60_000,
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password }),
    ...(will ? { will: { ...will, payload: Buffer.from(will.payload), qos: 1 } } : {}),
  };
}

function openSocket({ host, port, tls, ca, lookup }: Broker, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const target = { host, port, ...(lookup ? { lookup } : {}) };
  const trust = { ...(ca === null ? {} : { ca }), ...(isIP(host) ? {} : { servername: host }) };
  const socket = tls ? connectTls({ ...target, ...trust }) : connectTcp(target);
  const opened = new Promise<Socket>((resolve, reject) => {
    socket.once(tls ? 'secureConnect' : 'connect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the broker closed the connection')));
  });
  return untilAborted(opened, signal).catch((error) => {
    socket.destroy();
    throw error;
  });
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) {
      leave();
    }
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
