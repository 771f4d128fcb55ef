// Parts of what the hub knows of a network, for tests of what it sends to a provider.
import type { Device } from '#contract/devices.ts';

/** A device without names and cards that was seen twice; `more` replaces members of it. */
export function knownDevice(deviceId: string, ip: string, more: Partial<Device> = {}): Device {
  return {
    ...{ deviceId, ip, mac: null, vendor: null, dnsName: null, mdnsName: null, netbiosName: null },
    ...{ ipv6Addr: null, ipv6Addrs: null, firstSeen: 1000, lastSeen: 2000, sources: 'dhcp', sourceList: ['dhcp'] },
    ...{ noteKey: null, note: null, status: 'active', archivedAt: null, mergedInto: null, interfaces: [] },
    ...more,
  };
}

/** A network card of a device. */
export function knownCard(mac: string): Device['interfaces'][number] {
  return { mac, kind: 'stable', vendor: null, firstSeen: 1000, lastSeen: 2000, wifi: null };
}
