// The provider stamps tokens by the wall clock, which cannot be replaced; here the stamps move to the simulator's clock.
import type { Clock } from '#kernel/time/clock.ts';

/** Seconds by which a stamp may differ from the clock before it is moved: the second may have turned meanwhile. */
const tolerance = 1;

/** `iat` now, and `exp` and `auth_time` as far from it as they were; empty when the token was stamped right. */
export function moveTimestamps(claims: Readonly<Record<string, unknown>>, clock: Clock): Record<string, number> {
  const now = Math.floor(clock.now() / 1000);
  const { iat } = claims;
  if (typeof iat !== 'number' || Math.abs(now - iat) <= tolerance) {
    return {};
  }
  const moved: Record<string, number> = {};
  for (const name of ['iat', 'exp', 'auth_time']) {
    const value = claims[name];
    if (typeof value === 'number') {
      moved[name] = value - iat + now;
    }
  }
  return moved;
}
