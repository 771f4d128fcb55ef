// Where a destination may be: an address of the public Internet, or one that the operator allows by name.
import type { LookupFunction } from 'node:net';
import {
  ForbiddenTarget,
  isForbiddenHost,
  isPrivateHost,
  lookupOutside,
  lookupPublic,
} from '#kernel/net/forbidden-target.ts';
import { SendFailure } from './sender.ts';

/** For `connect` of a socket: the address that was checked is the one that it connects to. */
export function createTargetLookup(allowPrivate: boolean): LookupFunction {
  return allowPrivate ? lookupOutside(true) : lookupPublic();
}

/** Throws SendFailure `private_target` for a host that is written as such an address: a socket does not look it up. */
export function requireTarget(host: string, allowPrivate: boolean): void {
  if (allowPrivate ? isForbiddenHost(host, true) : isPrivateHost(host)) {
    throw refuseTarget(host, allowPrivate);
  }
}

/** A failed connection as a SendFailure. `error` is what a socket, or a library over it, failed with. */
export function toConnectFailure(error: unknown, where: string, allowPrivate: boolean): SendFailure {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SendFailure) {
      return cause;
    }
    if (cause instanceof ForbiddenTarget) {
      return refuseTarget(`${cause.host} (${cause.address})`, allowPrivate);
    }
  }
  const code = (error as NodeJS.ErrnoException | null)?.code ?? 'no answer';
  return new SendFailure(
    'unreachable',
    'unreachable',
    `${where} could not be reached (${code}): check the address and the network`,
  );
}

function refuseTarget(name: string, allowPrivate: boolean): SendFailure {
  const advice = allowPrivate
    ? 'the hub sends nothing there'
    : 'it is in a private network or on this machine: allow private targets for this destination if you mean it';
  return new SendFailure('settings', 'private_target', `${name} is refused: ${advice}`);
}
