// The devices: loading them, what each is called, and which addresses it has.
import type { DeviceStatus } from '#contract/devices.ts';
import type { Reply } from '../api/client.ts';
import { useAsked } from '../state/loaded.ts';
import { text } from '../text/text.ts';

export type Device = Reply<'GET /api/devices'>['devices'][number];
export type Candidate = Reply<'GET /api/devices/merge-candidates'>['candidates'][number];

/** All devices, archived ones too. */
export const useDevices = () => useAsked('GET /api/devices', { query: { includeArchived: '1' } });

export function deviceName({ dnsName, mdnsName, netbiosName, ip, mac }: Device): string {
  return dnsName ?? mdnsName ?? netbiosName ?? (ip || (mac ?? text.value.devices.unnamed));
}

/** Name and address: two devices may have the same name. */
export function fullDeviceName(device: Device): string {
  const address = device.ip || device.mac;
  const name = deviceName(device);
  return address === null || address === name ? name : `${name} (${address})`;
}

/** The latest address first, then the others. */
export function deviceAddresses({ ip, ipv6Addrs }: Device): string[] {
  return [...new Set([...(ip === '' ? [] : [ip]), ...(ipv6Addrs ?? [])])];
}

/** Most addresses, and most MAC addresses, that the API takes in one request. */
const mostAddresses = 20;

/** Query parameters that select the detections of a device. An unknown one, or one without addresses, has none. */
export function toDetectionFilter(device: Device | undefined): { src: string[]; srcMac: string[] } {
  const src = device ? deviceAddresses(device).slice(0, mostAddresses) : [];
  const srcMac = device ? device.interfaces.map(({ mac }) => mac).slice(0, mostAddresses) : [];
  // Empty lists would select all detections; 'none' is the address of no device.
  return { src: src.length + srcMac.length === 0 ? ['none'] : src, srcMac };
}

const order: readonly DeviceStatus[] = ['active', 'recent', 'stale', 'archived'];

/** By status, then by name, so that rows do not move with each poll. */
export function sortDevices(devices: readonly Device[]): Device[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return devices.toSorted((one, other) => {
    const byStatus = order.indexOf(one.status) - order.indexOf(other.status);
    return byStatus === 0 ? compare(deviceName(one), deviceName(other)) : byStatus;
  });
}
