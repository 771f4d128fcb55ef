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

/** By its id, or else by an address: of devices with the same one, one that is not archived. */
export function findDeviceByKey(devices: readonly Device[], key: string): Device | undefined {
  const has = (device: Device) =>
    [...deviceAddresses(device), ...device.interfaces.map(({ mac }) => mac)].includes(key.toLowerCase());
  const byAddress = devices.filter(has);
  return (
    devices.find(({ deviceId }) => deviceId === key) ??
    byAddress.find(({ archivedAt }) => archivedAt === null) ??
    byAddress[0]
  );
}

/** The latest address first, then the others. */
export function deviceAddresses({ ip, ipv6Addrs }: Device): string[] {
  return [...new Set([...(ip === '' ? [] : [ip]), ...(ipv6Addrs ?? [])])];
}

/** Most values that the API takes of one parameter. */
export const mostValues = 20;

/** What alerts call the device: its MAC addresses and addresses. An unknown device has no alert. */
export function toAlertDevices(device: Device | undefined): string[] {
  const names = device ? [...device.interfaces.map(({ mac }) => mac), ...deviceAddresses(device)] : [];
  // An empty list would select all alerts; 'none' is the name of no device.
  return names.length === 0 ? ['none'] : names.slice(0, mostValues);
}

/** The device that an alert names. Another one may get its address later: the MAC address decides when it is known. */
export function findDevice(
  devices: readonly Device[] | undefined,
  { src, srcMac }: { src: string | null; srcMac: string | null },
): Device | undefined {
  return devices?.find(({ ip, interfaces }) =>
    srcMac === null ? ip === src : interfaces.some(({ mac }) => mac === srcMac),
  );
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
