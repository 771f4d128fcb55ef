// Publishes with the npm library "mqtt", when it is installed next to upsget. Loaded on demand.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { errorCodeOf, Failure, messageOf } from './failure.ts';
import { authorityOf } from './host.ts';
import { limits } from './limits.ts';
import type { Message } from './mqtt-message.ts';
import type { MqttOptions } from './options.ts';

/** The part of the library that is used. */
interface Library {
  connect(url: string, options: Record<string, unknown>): Client;
}

interface Client {
  publishAsync(topic: string, payload: string, options: { qos: 0 | 1 | 2; retain: boolean }): Promise<unknown>;
  endAsync(force?: boolean): Promise<void>;
  on(event: 'connect' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Resolves to false when the library is not installed. */
export async function publishWithLibrary(
  messages: readonly Message[],
  options: MqttOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const library = load();
  if (!library) {
    return false;
  }
  const late = AbortSignal.timeout(limits.mqttSendMs);
  const ended = AbortSignal.any([signal, late]);
  const where = authorityOf(options.broker, options.port);
  const client = library.connect(`${options.tls ? 'mqtts' : 'mqtt'}://${where}`, connection(options));
  try {
    await Promise.race([sent(messages, options.qos, client), broken(client), aborted(ended)]);
    await Promise.race([client.endAsync(), aborted(ended)]);
    return true;
  } catch (error) {
    // Not awaited: the connection is abandoned.
    client.endAsync(true).catch(() => {});
    signal.throwIfAborted();
    const reason = late.aborted ? `no end within ${limits.mqttSendMs / 1000} s` : reasonOf(error);
    throw new Failure(`MQTT publish to ${where} failed: ${reason}`, { cause: error });
  }
}

async function sent(messages: readonly Message[], qos: 0 | 1 | 2, client: Client): Promise<void> {
  await new Promise<void>((resolve) => client.on('connect', resolve));
  for (const { topic, payload, retain } of messages) {
    await client.publishAsync(topic, payload, { qos, retain });
  }
}

/** Rejects when the connection fails, or ends. */
function broken(client: Client): Promise<never> {
  return new Promise((_resolve, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('the broker closed the connection')));
  });
}

function connection({ user, password, caFile }: MqttOptions): Record<string, unknown> {
  return {
    // Disables the endless reconnects of the library.
    reconnectPeriod: 0,
    connectTimeout: limits.mqttSendMs,
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password }),
    ...(caFile === null ? {} : { ca: readFileSync(caFile) }),
  };
}

/** Resolves the package from this file or NODE_PATH, never from the current folder: it is not trusted. */
function load(): Library | null {
  try {
    return createRequire(import.meta.url)('mqtt') as Library;
  } catch (error) {
    if (errorCodeOf(error) === 'MODULE_NOT_FOUND') {
      return null;
    }
    throw new Failure(`the library "mqtt" cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) {
      reject(signal.reason);
    }
  });
}

function reasonOf(error: unknown): string {
  switch (errorCodeOf(error)) {
    case 'ECONNREFUSED':
      return 'connection refused; check address and port of the broker';
    case 'ENOTFOUND':
      return 'the name of the broker is not known';
    default:
      return messageOf(error);
  }
}
