// Turns the error of an MQTT connection into the reason that the operator reads.
import { messageOf } from '#kernel/errors.ts';
import { SendFailure } from '../../send-failure.ts';
import { toConnectFailure } from '../target.ts';

/** `error` has the code of a socket, or the number with which the broker refused (MQTT 3.1.1, section 3.2.2.3). */
export function toMqttFailure(error: unknown, where: string, allowPrivate: boolean): SendFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const words = messageOf(error);
  if (code === 4 || code === 5) {
    const advice = 'check user and password';
    return new SendFailure('settings', 'refused_login', `${where} refused the login (${words}); ${advice}`);
  }
  if (code === 1 || code === 2) {
    return new SendFailure('settings', 'refused_connection', `${where} refused the connection (${words})`);
  }
  return toConnectFailure(error, where, allowPrivate);
}
