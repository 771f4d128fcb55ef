// Publishes with the npm library "mqtt", when it is installed next to upsget. Loaded on demand.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Failure, getErrorCode, messageOf } from './failure.ts';
import { formatAuthority } from './host.ts';
import { limits } from './limits.ts';
import type { Message } from './mqtt-message.ts';
import type { MqttOptions } from './options.ts';

interface Library {
  connect(url: string, options: Record<string, unknown>): Client;
}

interface Client {
  publishAsync(topic: string, payload: string, options: { qos: 0 | 1 | 2; retain: boolean }): Promise<unknown>;
  endAsync(force?: boolean): Promise<void>;
  on(event: 'connect' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

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
  const where = formatAuthority(options.broker, options.port);
  const client = library.connect(`${options.tls ? 'mqtts' : 'mqtt'}://${where}`, toConnectOptions(options));
  try {
    await Promise.race([publishAll(messages, options.qos, client), rejectOnEnd(client), rejectOnAbort(ended)]);
    await Promise.race([client.endAsync(), rejectOnAbort(ended)]);
    return true;
  } catch (error) {
    // Not awaited: the connection is abandoned.
    client.endAsync(true).catch(() => {});
    signal.throwIfAborted();
    const reason = late.aborted ? `no end within ${limits.mqttSendMs / 1000} s` : describeError(error);
    throw new Failure(`MQTT publish to ${where} failed: ${reason}`, { cause: error });
  }
}

async function publishAll(messages: readonly Message[], qos: 0 | 1 | 2, client: Client): Promise<void> {
  await new Promise<void>((resolve) => client.on('connect', resolve));
  for (const { topic, payload, retain } of messages) {
    await client.publishAsync(topic, payload, { qos, retain });
  }
}

/** Rejects when the connection fails or ends. */
function rejectOnEnd(client: Client): Promise<never> {
  return new Promise((_resolve, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('the broker closed the connection')));
  });
}

function toConnectOptions({ user, password, caFile }: MqttOptions): Record<string, unknown> {
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
    if (getErrorCode(error) === 'MODULE_NOT_FOUND') {
      return null;
    }
    throw new Failure(`the library "mqtt" cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) {
      reject(signal.reason);
    }
  });
}

function describeError(error: unknown): string {
  switch (getErrorCode(error)) {
    case 'ECONNREFUSED':
      return 'connection refused; check address and port of the broker';
    case 'ENOTFOUND':
      return 'the name of the broker is not known';
    default:
      return messageOf(error);
  }
}
