// The addresses by which a machine with an Agent is known on its network: not those that every machine has.
import ipaddr from 'ipaddr.js';

const everywhere = new Set(['unspecified', 'loopback', 'linkLocal', 'multicast', 'broadcast']);

/** Sources of observations, each with the time it was last seen. Addresses are canonical. */
export function latestAddresses(rows: Iterable<{ src: string; lastAt: number }>): Map<string, number> {
  const latest = new Map<string, number>();
  for (const { src, lastAt } of rows) {
    latest.set(src, Math.max(lastAt, latest.get(src) ?? lastAt));
  }
  return new Map([...latest].filter(([src]) => !everywhere.has(ipaddr.parse(src).range())));
}
