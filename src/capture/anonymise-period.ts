// Replaces what identifies somebody in a period: addresses, MACs, and names of hosts, routers and Agents.
// Times, ports, protocols, counts and names of programs stay.
import type { Mapping } from './mapping.ts';
import type { Period } from './period.ts';

/** The replacement of an IP address in its canonical form. */
export function mapAddress(mapping: Mapping, address: string): string {
  return address.includes(':') ? mapping.ipv6(address) : mapping.ipv4(address);
}

/** The replacement of a MAC in lower-case colon form. */
export function mapMac(mapping: Mapping, mac: string): string {
  return (mapping.mac(mac.replaceAll(':', '')).match(/../g) ?? []).join(':');
}

/** The same period with other addresses, MACs and names. */
export function anonymisePeriod(mapping: Mapping, { header, hosts, connections }: Period): Period {
  const observers = header.observers.map((observer) => ({ ...observer, name: mapping.name(observer.name) }));
  return {
    header: { ...header, anonymised: true, observers },
    hosts: hosts.map(({ host, mac, name }) => ({
      host: mapAddress(mapping, host),
      mac: mapMac(mapping, mac),
      name: name === null ? null : mapping.name(name),
    })),
    connections: connections.map((connection) => ({
      ...connection,
      src: mapAddress(mapping, connection.src),
      dst: mapAddress(mapping, connection.dst),
    })),
  };
}
