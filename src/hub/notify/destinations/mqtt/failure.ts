// Why a broker did not take an event, for the operator.
import { messageOf } from '#kernel/errors.ts';
import { ForbiddenTarget } from '#kernel/net/forbidden-target.ts';
import { SendFailure } from '../sender.ts';

/** `error`: of the socket, with a code of Node, or of the broker, with its number. */
export function toMqttFailure(error: unknown, where: string): SendFailure {
  if (error instanceof SendFailure) {
    return error;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const words = messageOf(error);
  if (error instanceof ForbiddenTarget) {
    return new SendFailure('settings', 'private_target', `${words}; allow private targets if you mean it`);
  }
  // Return codes of MQTT 3.1.1, §3.2.2.3.
  if (code === 4 || code === 5) {
    return new SendFailure(
      'settings',
      'refused_login',
      `${where} refused the login (${words}); check user and password`,
    );
  }
  if (code === 1 || code === 2) {
    return new SendFailure('settings', 'refused_connection', `${where} refused the connection (${words})`);
  }
  if (/CERT|^ERR_(?:TLS|SSL|OSSL)|^UNABLE_TO_|SIGNATURE/.test(String(code))) {
    const advice = 'check the CA, the host name and whether the port speaks TLS';
    return new SendFailure('settings', 'tls_failed', `TLS with ${where} failed (${words}); ${advice}`);
  }
  const advice = 'check that the broker runs and is reached at this address and port';
  return new SendFailure('unreachable', 'unreachable', `${where} did not take the event (${words || code}); ${advice}`);
}
