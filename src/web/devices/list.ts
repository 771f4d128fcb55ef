// Which devices the list shows, and in which order. Search, filters and order are stored in the URL.
import type { DeviceStatus } from '#contract/devices.ts';
import { range } from '../state/range.ts';
import { query } from '../state/url.ts';
import type { Counts } from './counts.tsx';
import { type Device, deviceAddresses, deviceName, sortDevices } from './names.ts';

/** Fails to compile when a state of the contract is missing. */
export const states = Object.keys({ active: 0, recent: 0, stale: 0, archived: 0 } satisfies Record<
  DeviceStatus,
  0
>) as DeviceStatus[];
export const sorts = ['status', 'name', 'maker', 'lastSeen', 'firstSeen', 'connections'] as const;
export type Sort = (typeof sorts)[number];

export const filterNames = ['q', 'state', 'maker', 'new'] as const;

export const isFiltered = () => filterNames.some((name) => query.value.get(name));

export function chosenSort(): Sort {
  return sorts.find((one) => one === query.value.get('sort')) ?? 'status';
}

/** The makers of these devices, sorted. */
export const listMakers = (devices: readonly Device[]): string[] =>
  [...new Set(devices.flatMap(({ vendor }) => vendor ?? []))].toSorted((one, other) => one.localeCompare(other));

export function filterDevices(devices: readonly Device[]): Device[] {
  const [wanted, state, maker, isNew] = filterNames.map((name) => query.value.get(name) ?? '');
  const { from, to } = range.value;
  // The state decides about archived devices when it is chosen.
  const withArchived = query.value.get('archived') === '1' || state === 'archived';
  return devices.filter(
    (device) =>
      (withArchived || device.archivedAt === null) &&
      (!wanted || hasText(device, wanted.trim().toLowerCase())) &&
      (state === '' || device.status === state) &&
      (maker === '' || device.vendor === maker) &&
      (isNew !== '1' || (device.firstSeen >= from && device.firstSeen <= to)),
  );
}

function hasText(device: Device, wanted: string): boolean {
  const { dnsName, mdnsName, netbiosName, vendor, note, interfaces } = device;
  const macs = interfaces.map(({ mac }) => mac);
  return [dnsName, mdnsName, netbiosName, vendor, note, ...deviceAddresses(device), ...macs].some((one) =>
    one?.toLowerCase().includes(wanted),
  );
}

/** Devices that are equal in the chosen order stay in that of their states and names. */
export function orderDevices(devices: readonly Device[], sort: Sort, counts: Counts | null): Device[] {
  const sorted = sortDevices(devices);
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const countOf = (device: Device) => deviceAddresses(device).reduce((sum, one) => sum + (counts?.of(one) ?? 0), 0);
  const orders: Readonly<Record<Sort, ((one: Device, other: Device) => number) | null>> = {
    status: null,
    name: (one, other) => compare(deviceName(one), deviceName(other)),
    // Devices without a maker come last.
    maker: (one, other) => compare(one.vendor ?? '\uffff', other.vendor ?? '\uffff'),
    lastSeen: (one, other) => other.lastSeen - one.lastSeen,
    firstSeen: (one, other) => other.firstSeen - one.firstSeen,
    connections: (one, other) => countOf(other) - countOf(one),
  };
  const order = orders[sort];
  return order === null ? sorted : sorted.toSorted(order);
}
