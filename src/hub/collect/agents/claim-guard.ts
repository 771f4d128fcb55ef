// Claims of one address: as many a minute as an Agent needs that asks every second
// (docs/reference/wire-contract/4-endpoints.md#claim).
import { limits } from '#contract/limits.ts';
import { refusedFor } from '#kernel/errors.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';

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
