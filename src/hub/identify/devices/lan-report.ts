// Converts the LAN report of a router to sightings: neighbours, leases, and active hosts.
import type { DeviceSource } from '#contract/device-sources.ts';
import { limits } from '#contract/limits.ts';
import type { RouterKind } from '#contract/routers.ts';
import { isPrivateIp } from '#kernel/net/address.ts';
import { parseLabel } from '#kernel/net/host-name.ts';
import type { Lease, Neighbour } from './lan-rows.ts';
import type { Sighting } from './sighting.ts';

export interface LanReport {
  observerId: string;
  kind: RouterKind;
  /** Null when this poll did not ask. */
  neighbours: readonly Neighbour[] | null;
  leases: readonly Lease[] | null;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Rows of the LAN: of interfaces with a private address, or one that flows come from. The rest is the side of the
 * provider, and the router itself.
 */
export function toSightings(report: LanReport, isSource: (address: string) => boolean): Sighting[] {
  const { observerId, kind, now } = report;
  const rows = (report.neighbours ?? []).filter(({ isOwn }) => !isOwn);
  const isLan = ({ address }: Neighbour) => isPrivateIp(address) || isSource(address);
  const inside = new Set(rows.filter(isLan).map(({ interfaceName }) => toPortName(interfaceName)));
  const neighbours = rows
    .filter(({ interfaceName }) => inside.has(toPortName(interfaceName)))
    .map(({ address, mac, heardSec }): Sighting => {
      const sources: DeviceSource[] = address.includes(':') ? [kind, 'ndp'] : [kind];
      return { address, mac, heardAt: heardSec === null ? null : now - heardSec * 1000, sources, observerId };
    });
  const macs = new Map(neighbours.map(({ address, mac }) => [address, mac]));
  const leases = (report.leases ?? []).flatMap(({ address, mac, clientId, name }): Sighting[] => {
    const holder = mac ?? macs.get(address) ?? null;
    const label = parseLabel(name ?? '');
    const facts = { ...(label === null ? {} : { dhcpName: label }), ...(clientId === null ? {} : { clientId }) };
    const sources: DeviceSource[] = ['dhcp', kind];
    return holder === null ? [] : [{ address, mac: holder, heardAt: null, sources, observerId, facts, isWeak: true }];
  });
  return [...neighbours, ...leases];
}

/** A LAN host in a followed log: a new lease, or a name of a resolver. */
export interface KnownHost {
  address: string;
  /** Lower-case colon form. */
  mac: string | null;
  name: string | null;
}

/** The sightings and names of a followed log. */
export function toHostSightings(hosts: readonly KnownHost[], now: number) {
  return {
    sightings: hosts.flatMap(({ address, mac, name }): Sighting[] => {
      const facts = name === null ? {} : { dhcpName: name };
      return mac === null ? [] : [{ address, mac, heardAt: now, sources: ['dhcp'], observerId: 'log', facts }];
    }),
    names: hosts.flatMap(({ address, mac, name }) => (mac === null && name !== null ? [{ address, name }] : [])),
  };
}

/** MACs with more IPv4 addresses in one table than one machine has: a repeater rewrites the MACs of its clients. */
export function findRepeaters(sightings: readonly Sighting[]): string[] {
  const addresses = new Map<string, Set<string>>();
  for (const { mac, address } of sightings) {
    if (mac !== null && address !== null && !address.includes(':')) {
      addresses.set(mac, (addresses.get(mac) ?? new Set()).add(address));
    }
  }
  return [...addresses].filter(([, held]) => held.size > limits.addressesOfMac).map(([mac]) => mac);
}

/** The canonical name of a port: `LAN1(port3)` and `LAN1`, `GigabitEthernet0/1.20` and `Gi0/1.20` are the same. */
function toPortName(interfaceName: string): string {
  const [, letters = '', digits = ''] = /^([a-z]*)-?([^(]*)/i.exec(interfaceName) ?? [];
  return `${letters.slice(0, 2).toLowerCase()}${digits.trim()}`;
}
