// What a device is called, and which addresses it has.
import type { DeviceStatus } from '#contract/devices.ts';
import type { Reply } from '../api/client.ts';
import { text } from '../text/text.ts';

export type Device = Reply<'GET /api/devices'>['devices'][number];
export type Candidate = Reply<'GET /api/devices/merge-candidates'>['candidates'][number];

export function deviceName({ dnsName, mdnsName, netbiosName, ip, mac }: Device): string {
  return dnsName ?? mdnsName ?? netbiosName ?? (ip || (mac ?? text.value.devices.unnamed));
}

/** With its address: two devices may have one name. */
export function fullDeviceName(device: Device): string {
  const address = device.ip || device.mac;
  const name = deviceName(device);
  return address === null || address === name ? name : `${name} (${address})`;
}

/** The address it was seen with last, then its others. */
export function deviceAddresses({ ip, ipv6Addrs }: Device): string[] {
  return [...new Set([...(ip === '' ? [] : [ip]), ...(ipv6Addrs ?? [])])];
}

const order: readonly DeviceStatus[] = ['active', 'recent', 'stale', 'archived'];

/** Who is here first, then by name: rows do not change places with each poll. */
export function sortDevices(devices: readonly Device[]): Device[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return devices.toSorted((one, other) => {
    const byStatus = order.indexOf(one.status) - order.indexOf(other.status);
    return byStatus === 0 ? compare(deviceName(one), deviceName(other)) : byStatus;
  });
}
