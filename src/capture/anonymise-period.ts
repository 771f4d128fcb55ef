// Replaces what identifies somebody in a period: addresses, MACs, and names of hosts, routers and Agents.
// Times, ports, protocols, counts and names of programs stay.
import type { Mapping } from './mapping.ts';
import type { Period } from './period.ts';

/** Replaces an IP address in its canonical form. */
export function replaceAddress(mapping: Mapping, address: string): string {
  return address.includes(':') ? mapping.replaceIpv6(address) : mapping.replaceIpv4(address);
}

/** Replaces a MAC in lower-case colon form. */
export function replaceColonMac(mapping: Mapping, mac: string): string {
  return (mapping.replaceMac(mac.replaceAll(':', '')).match(/../g) ?? []).join(':');
}

/** Returns the same period with other addresses, MACs and names. */
export function anonymisePeriod(mapping: Mapping, { header, hosts, connections }: Period): Period {
  const observers = header.observers.map((observer) => ({ ...observer, name: mapping.replaceName(observer.name) }));
  return {
    header: { ...header, anonymised: true, observers },
    hosts: hosts.map(({ host, mac, name }) => ({
      host: replaceAddress(mapping, host),
      mac: replaceColonMac(mapping, mac),
      name: name === null ? null : mapping.replaceName(name),
    })),
    connections: connections.map((connection) => ({
      ...connection,
      src: replaceAddress(mapping, connection.src),
      dst: replaceAddress(mapping, connection.dst),
    })),
  };
}
