// Whether sessions of two tables match because one router is behind the other, or by chance.

/**
 * Ports that a session may have by chance. Routers and machines use 16,000 to 64,000, mostly in order from some start:
 * fewer are assumed, so that a match proves less.
 */
const ports = 4096;
/** Natural logarithm of the probability below which matches are not taken for chance: one in a million. */
const leastChance = Math.log(1e-6);

/** How many of `sessions` to one destination have a certain port by chance. */
export function byChance(sessions: number): number {
  return sessions / ports;
}

/**
 * Whether `matches` of which `expected` come by chance may all be chance: the Chernoff bound of the upper tail of a Poisson
 * distribution.
 */
export function mayBeChance(matches: number, expected: number): boolean {
  return matches <= expected || matches * (1 + Math.log(expected / matches)) - expected > leastChance;
}
