// The addresses by which a machine with an Agent is known on its network: not those that every machine has.
import ipaddr from 'ipaddr.js';

const everywhere = new Set(['unspecified', 'loopback', 'linkLocal', 'multicast', 'broadcast']);

/** Sources of observations, each with the time it was last seen. Addresses are canonical. */
export function agentAddresses(rows: Iterable<{ src: string; lastAt: number }>): Map<string, number> {
  const addresses = new Map<string, number>();
  for (const { src, lastAt } of rows) {
    const before = addresses.get(src);
    if (before !== undefined || !everywhere.has(ipaddr.parse(src).range())) {
      addresses.set(src, Math.max(lastAt, before ?? lastAt));
    }
  }
  return addresses;
}
