// Publishes with the npm library "mqtt", when it is installed next to upsget. Loaded on demand.
import { readFileSync } from 'node:fs';
import { connectMqtt, type MqttConnection } from '#kernel/mqtt/connection.ts';
import type { Message } from '#kernel/mqtt/message.ts';
import { Failure, getErrorCode, messageOf } from './failure.ts';
import { formatAuthority } from './host.ts';
import { limits } from './limits.ts';
import type { MqttOptions } from './options.ts';

/** Returns false when the library is not installed. */
export async function publishWithLibrary(
  messages: readonly Message[],
  { broker: host, port, tls, user, password, caFile, qos }: MqttOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const late = AbortSignal.timeout(limits.mqttSendMs);
  const ended = AbortSignal.any([signal, late]);
  let connection: MqttConnection | null = null;
  try {
    const ca = caFile === null ? null : readFileSync(caFile);
    connection = await connectMqtt({ host, port, tls, user, password, ca }, ended);
    for (const message of messages) {
      await connection.publish(message, qos, ended);
    }
    await connection.end(ended);
    return true;
  } catch (error) {
    connection?.abandon();
    signal.throwIfAborted();
    if (getErrorCode(error) === 'MODULE_NOT_FOUND') {
      return false;
    }
    const reason = late.aborted ? `no end within ${limits.mqttSendMs / 1000} s` : describeError(error);
    throw new Failure(`MQTT publish to ${formatAuthority(host, port)} failed: ${reason}`, { cause: error });
  }
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
