// The devices: loading them, what each is called, and which addresses it has.
import type { DeviceStatus } from '#contract/devices.ts';
import type { Reply } from '../api/client.ts';
import { useAsked } from '../state/loaded.ts';
import { text } from '../text/text.ts';

export type Device = Reply<'GET /api/devices'>['devices'][number];
export type Candidate = Reply<'GET /api/devices/merge-candidates'>['candidates'][number];

/** Loads all devices, archived ones too. */
export const useDevices = () => useAsked('GET /api/devices', { query: { includeArchived: '1' } });

export function deviceName({ dnsName, mdnsName, netbiosName, ip, mac }: Device): string {
  return dnsName ?? mdnsName ?? netbiosName ?? (ip || (mac ?? text.value.devices.unnamed));
}

/** Returns name and address: two devices may have the same name. */
export function fullDeviceName(device: Device): string {
  const address = device.ip || device.mac;
  const name = deviceName(device);
  return address === null || address === name ? name : `${name} (${address})`;
}

/** `key` is a device id, an IP address or a MAC address. Of devices with the same address, prefers one not archived. */
export function findDeviceByKey(devices: readonly Device[], key: string): Device | undefined {
  const byAddress = devices.filter((device) => listAllAddresses(device).includes(key.toLowerCase()));
  return (
    devices.find(({ deviceId }) => deviceId === key) ??
    byAddress.find(({ archivedAt }) => archivedAt === null) ??
    byAddress[0]
  );
}

/** Returns the IP addresses: the latest one, then the others. */
export function deviceAddresses({ ip, ipv6Addrs }: Device): string[] {
  return [...new Set([...(ip === '' ? [] : [ip]), ...(ipv6Addrs ?? [])])];
}

/** Returns the MAC addresses, then the IP addresses. */
function listAllAddresses(device: Device): string[] {
  return [...device.interfaces.map(({ mac }) => mac), ...deviceAddresses(device)];
}

/** The API refuses a query parameter with more values. */
export const mostValues = 20;

/** Returns values of the query parameter `device` that select the alerts of the device; an unknown one has none. */
export function toAlertDeviceFilter(device: Device | undefined): string[] {
  const addresses = device ? listAllAddresses(device) : [];
  // An empty list would select all alerts; 'none' is the address of no device.
  return addresses.length === 0 ? ['none'] : addresses.slice(0, mostValues);
}

/** Returns the device with the alert's MAC address when that is known: another device may have got the IP address. */
export function findDeviceOfAlert(
  devices: readonly Device[] | undefined,
  { src, srcMac }: { src: string | null; srcMac: string | null },
): Device | undefined {
  return devices?.find(({ ip, interfaces }) =>
    srcMac === null ? ip === src : interfaces.some(({ mac }) => mac === srcMac),
  );
}

const statusOrder: readonly DeviceStatus[] = ['active', 'recent', 'stale', 'archived'];

/** By status, then by name, so that rows do not move with each poll. */
export function sortDevices(devices: readonly Device[]): Device[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return devices.toSorted((one, other) => {
    const byStatus = statusOrder.indexOf(one.status) - statusOrder.indexOf(other.status);
    return byStatus === 0 ? compare(deviceName(one), deviceName(other)) : byStatus;
  });
}
