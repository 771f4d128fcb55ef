// Failed applications of one address: after five in five minutes it waits for the rest of these
// (docs/reference/wire-contract/4-endpoints.md#enrolment-requests).
import { limits } from '#contract/limits.ts';
import { refusedFor } from '#kernel/errors.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';

export interface Throttle {
  /** Throws AppError `enrollment_throttled` for an address that failed too often. */
  require(address: string): void;
  failed(address: string): void;
  succeeded(address: string): void;
}

export function createThrottle(clock: Clock): Throttle {
  const { enrolmentFailures, enrolmentFailureWindowMs, enrolmentAddresses } = limits;
  const failures = new FixedWindowLimiter(clock, enrolmentFailures, enrolmentFailureWindowMs, enrolmentAddresses);
  return {
    require(address) {
      const taken = failures.look(clientKey(address));
      if (!taken.allowed) {
        const say = (seconds: number) => `too many wrong codes: try again in ${seconds} s`;
        throw refusedFor('enrollment_throttled', failures.remainingMs(taken), say);
      }
    },
    failed: (address) => void failures.take(clientKey(address)),
    succeeded: (address) => failures.clear(clientKey(address)),
  };
}
