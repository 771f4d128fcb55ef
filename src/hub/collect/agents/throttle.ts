// Limits how often one address may apply for enrolment, and ask for the result.
import { limits } from '#contract/limits.ts';
import { refusedFor } from '#kernel/errors.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * After five failed applications within five minutes, an address must wait until these are over
 * (docs/reference/wire-contract/4-endpoints.md#enrolment-requests).
 */
export function createThrottle(clock: Clock) {
  const { enrolmentFailures, enrolmentFailureWindowMs, enrolmentAddresses } = limits;
  const failures = new FixedWindowLimiter(clock, enrolmentFailures, enrolmentFailureWindowMs, enrolmentAddresses);
  return {
    /** Throws AppError `enrollment_throttled` for an address that failed too often. */
    require(address: string) {
      const taken = failures.look(clientKey(address));
      if (!taken.allowed) {
        const say = (seconds: number) => `too many wrong codes: try again in ${seconds} s`;
        throw refusedFor('enrollment_throttled', failures.remainingMs(taken), say);
      }
    },
    failed: (address: string) => void failures.take(clientKey(address)),
    succeeded: (address: string) => failures.clear(clientKey(address)),
  };
}

/** Allows one claim a second on average, counted by the minute (docs/reference/wire-contract/4-endpoints.md#claim). */
export function createClaimGuard(clock: Clock): Guard<unknown> {
  const claims = new FixedWindowLimiter(clock, limits.claimsPerMinute, limits.rateWindowMs);
  return ({ request }) => {
    const taken = claims.take(clientKey(request.address));
    if (!taken.allowed) {
      const say = (seconds: number) => `too many claims: try again in ${seconds} s`;
      throw refusedFor('rate_limited', claims.remainingMs(taken), say);
    }
  };
}
