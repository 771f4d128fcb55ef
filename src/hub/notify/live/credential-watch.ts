// Looks again, as long as a stream is open, whether its credential still holds and still allows the same.
import type { Permission } from '#contract/access.ts';
import type { CloseReason } from '#contract/events.ts';
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import type { SignedIn } from '../../base/auth/principal.ts';

export interface CredentialWatch {
  clock: Clock;
  everyMs: number;
  holder: SignedIn;
  /** Who the stream's request would be now; null for nobody. */
  identify: () => SignedIn | null;
  signal: AbortSignal;
}

/** Resolves to the reason as soon as a look, or the end of its lifetime, finds one; to null when aborted. */
export async function watchCredential({ clock, everyMs, holder, identify, signal }: CredentialWatch) {
  let seen = holder;
  while (!signal.aborted) {
    const waitMs = Math.min(everyMs, Math.max(1, findExpiry(seen) - clock.now()));
    if (!(await hasPassed(clock, waitMs, signal))) {
      break;
    }
    const now = identify();
    const reason = changeBetween(seen, now, clock.now());
    if (!now || reason) {
      return reason;
    }
    seen = now;
  }
  return null;
}

/** Why a stream opened by `before` must end, if its request is from `now`. */
export function changeBetween(before: SignedIn, now: SignedIn | null, at: number): CloseReason | null {
  if (!now || now.credential !== before.credential) {
    return findExpiry(before) <= at ? 'expired' : 'revoked';
  }
  return sameMembers(before.permissions, now.permissions) ? null : 'permissions_changed';
}

/** Epoch milliseconds at which the credential ends by itself, as far as is known now. */
export function findExpiry(holder: SignedIn): number {
  switch (holder.who) {
    case 'admin':
      return Number.POSITIVE_INFINITY;
    case 'session':
      return holder.session.expiresAt;
    case 'identity':
      return holder.identity.expiresAt;
  }
}

function sameMembers(a: ReadonlySet<Permission>, b: ReadonlySet<Permission>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}
