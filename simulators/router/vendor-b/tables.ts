// vendor_b's neighbour, interface, lease and login tables as text.

import type { Host, WorldView } from '../model.ts';
import { ipv4Text, networkStart } from '../world/address.ts';
import { getPlatform, getPort } from './platforms.ts';
import { leaseTime, routerTime } from './time.ts';

const arpLifeMinutes = 240;

/** The world does not follow neighbour states; every one appears in turn, so that a reader meets all of them. */
const neighbourStates = ['REACH', 'STALE', 'DELAY', 'PROBE'] as const;

/** The provider's router on the outside; refreshed since boot as any other ARP entry. */
const providerMac = '0000.5e00.53ff';

/** `show ip arp`; the router's own address has no age. A VRF without interfaces has no rows. */
export function arpTable(world: WorldView, vrf?: string): readonly string[] {
  const header = 'Protocol  Address          Age (min)  Hardware Addr   Type   Interface';
  const { settings } = world;
  if (vrf !== undefined) {
    return [header];
  }
  const inside = getPort(settings, 'lan').name;
  const row = (address: string, age: string, mac: string, port: string) =>
    `Internet  ${address.padEnd(15)} ${age.padStart(8)}   ${mac}  ARPA   ${port}`;
  const provider = ipv4Text(networkStart(settings.wanAddress, 24) + 1);
  const sinceBoot = minutesSince(world, settings.bootedAt) % arpLifeMinutes;
  return [
    header,
    row(settings.lanAddress, '-', dotted(settings.macs[0] ?? '00:00:00:00:00:00'), inside),
    ...world.hosts().flatMap((host) => {
      const age = minutesSince(world, host.arpAt);
      return age < arpLifeMinutes ? [row(host.ipv4, String(age), dotted(host.mac), inside)] : [];
    }),
    row(provider, String(sinceBoot), providerMac, getPort(settings, 'wan').name),
  ];
}

/** `show ipv6 neighbors`: upper-case addresses, short interface names. */
export function ipv6Neighbours(world: WorldView): readonly string[] {
  const port = getPort(world.settings, 'lan').short;
  return [
    'IPv6 Address                              Age Link-layer Addr State Interface',
    ...world.hosts().flatMap((host, index) => {
      const state = neighbourStates[index % neighbourStates.length] ?? 'STALE';
      const age = String(minutesSince(world, host.arpAt)).padStart(4);
      const tail = `${age} ${dotted(host.mac).padEnd(15)} ${state} ${port}`;
      return host.ipv6.map((address) => `${address.toUpperCase().padEnd(41)}${tail}`);
    }),
  ];
}

const roles = {
  wan: ['DHCP', 'up', 'up'],
  nvi: ['unset', 'up', 'up'],
  lan: ['NVRAM', 'up', 'up'],
  'second-lan': ['NVRAM', 'up', 'up'],
  switch: ['unset', 'up', 'up'],
  unused: ['unset', 'down', 'down'],
  shut: ['NVRAM', 'administratively down', 'down'],
} as const;

export function interfaceBrief({ settings }: WorldView): readonly string[] {
  const addresses: Partial<Record<keyof typeof roles, string>> = {
    wan: settings.wanAddress,
    nvi: settings.wanAddress,
    lan: settings.lanAddress,
    'second-lan': '172.16.20.1',
  };
  return [
    'Interface                  IP-Address      OK? Method Status                Protocol',
    ...getPlatform(settings).ports.map(({ name, role }) => {
      const [method, status, protocol] = roles[role];
      const address = (addresses[role] ?? 'unassigned').padEnd(15);
      return `${name.padEnd(26)} ${address} YES ${method.padEnd(6)} ${status.padEnd(21)} ${protocol}`;
    }),
  ];
}

/** `show ip dhcp binding`: no host names. */
export function dhcpBindings(world: WorldView): readonly string[] {
  return [
    'Bindings from all pools not associated with VRF:',
    'IP address          Client-ID/\t\t  Lease expiration        Type',
    '\t\t    Hardware address/',
    '\t\t    User name',
    ...world.hosts().flatMap((host) => binding(world, host)),
  ];
}

function binding(world: WorldView, host: Host): readonly string[] {
  const fixed = host.lease === 'fixed';
  if (!fixed && host.leaseUntil <= world.now()) {
    return [];
  }
  const [id, ...more] = clientIdLines(host);
  const until = fixed ? 'Infinite            ' : leaseTime(world, routerTime(world, host.leaseUntil));
  const first = `${host.ipv4.padEnd(20)}${id?.padEnd(21)}   ${until}    ${fixed ? 'Manual' : 'Automatic'}`;
  return [first, ...more.map((line) => `${' '.repeat(20)}${line}`)];
}

/** Groups of four digits; a DUID keeps its type byte in front of the first group and goes on in the next line. */
function clientIdLines({ clientId, mac }: Host): readonly string[] {
  const hex = clientId?.replaceAll(/[^0-9a-f]/gi, '').toLowerCase();
  if (hex === undefined) {
    return [dotted(mac)];
  }
  if (!hex.startsWith('ff')) {
    return [grouped(hex).join('.')];
  }
  const groups = grouped(hex.slice(2));
  const first = `ff${groups.slice(0, 4).join('.')}`;
  return groups.length > 4 ? [`${first}.`, groups.slice(4).join('.')] : [first];
}

function grouped(hex: string): readonly string[] {
  return hex.match(/.{1,4}/g) ?? [];
}

/** `show users`: the asking login has a star. */
export function userTable(world: WorldView): readonly string[] {
  const { firstVty } = getPlatform(world.settings);
  return [
    '    Line       User       Host(s)              Idle       Location',
    ...world.users().map(({ user, from, self }, index) => {
      const line = `${self ? '*' : ' '}${String(firstVty + index).padStart(3)} vty ${index}`;
      return `${line.padEnd(14)} ${user.padEnd(10)} idle                 00:00:00   ${from}`;
    }),
    '',
    '  Interface    User               Mode         Idle     Peer Address',
    '',
  ];
}

/** `00:00:5e:00:53:01` as `0000.5e00.5301`. */
export function dotted(mac: string): string {
  return grouped(mac.replaceAll(':', '')).join('.');
}

function minutesSince(world: WorldView, at: number): number {
  return Math.max(0, Math.floor((world.now() - at) / 60_000));
}
