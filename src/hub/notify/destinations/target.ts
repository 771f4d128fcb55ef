// Decides where a destination may be: at an address of the public Internet, or at a private one that the operator allows.
import type { LookupFunction } from 'node:net';
import { messageOf } from '#kernel/errors.ts';
import {
  ForbiddenTarget,
  isForbiddenHost,
  isPrivateHost,
  lookupOutside,
  lookupPublic,
} from '#kernel/net/forbidden-target.ts';
import { clipText } from '#kernel/text/clip.ts';
import { SendFailure } from '../send-failure.ts';

/** Returns the look-up for `connect` of a socket, so that the socket connects to the address that was checked. */
export function createTargetLookup(allowPrivate: boolean): LookupFunction {
  return allowPrivate ? lookupOutside(true) : lookupPublic();
}

/** Throws SendFailure `private_target` when `host` is written as a refused address, which a socket does not look up. */
export function requireTarget(host: string, allowPrivate: boolean): void {
  if (allowPrivate ? isForbiddenHost(host, true) : isPrivateHost(host)) {
    throw refuseTarget(host, allowPrivate);
  }
}

/** Returns the SendFailure for a connection that failed. `error` comes from a socket, or from a library that uses one. */
export function toConnectFailure(error: unknown, where: string, allowPrivate: boolean): SendFailure {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SendFailure) {
      return cause;
    }
    if (cause instanceof ForbiddenTarget) {
      return refuseTarget(`${cause.host} (${cause.address})`, allowPrivate);
    }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = clipText(messageOf(error) || code || 'no answer', 200);
  if (
    /certificate|self.signed|altnames/i.test(words) ||
    /CERT|^ERR_(?:TLS|SSL|OSSL)|^UNABLE_TO_|SIGNATURE/.test(code)
  ) {
    const advice = 'check the name of the host, the port, and whether its certificate is one that this computer trusts';
    return new SendFailure('settings', 'tls_failed', `TLS with ${where} failed (${words}); ${advice}`);
  }
  return new SendFailure(
    'unreachable',
    'unreachable',
    `${where} could not be reached (${words}); check the address and the network`,
  );
}

function refuseTarget(name: string, allowPrivate: boolean): SendFailure {
  const advice = allowPrivate
    ? 'the hub sends nothing there'
    : 'it is in a private network or on this machine: allow private targets for this destination if you mean it';
  return new SendFailure('settings', 'private_target', `${name} is refused: ${advice}`);
}
