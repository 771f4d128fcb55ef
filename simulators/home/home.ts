// A household for demonstrations: its machines with cards of real makers, what they do, and whom they talk to.
import type { MeshSettings, SimulatedClient } from '../mesh/settings.ts';
import type { HostKind } from '../router/world/hosts.ts';
import type { Destinations } from '../router/world/traffic.ts';
import { hash } from '../support/random.ts';
import {
  deviceCloud,
  listedServices,
  nameServers,
  pushServices,
  type Service,
  timeServers,
  webServices,
} from './services.ts';

const host = (name: string, mac: string, apps: HostKind['apps'], rest: Partial<HostKind> = {}): HostKind => ({
  name,
  mac,
  apps,
  lease: 'dynamic',
  client: 'plain',
  ...rest,
});

/** The telephone that has made up a new MAC: the one before, and the address it had. */
export const formerPhone = { name: 'anna-phone', mac: 'da:a1:19:4c:70:1e', address: '192.168.100.61' } as const;

/** In the order of their addresses, from 192.168.100.2 on. */
export const homeHosts: readonly HostKind[] = [
  host('nas-archive', '00:11:32:5a:10:21', ['ntp', 'web'], { lease: 'fixed' }),
  host('anna-laptop', '3c:22:fb:5a:10:22', ['dns', 'web', 'video', 'threat']),
  host('den-printer', '00:80:77:5a:10:23', ['ntp'], { lease: 'fixed' }),
  host('livingroom-tv', 'a8:23:fe:5a:10:24', ['dns', 'web', 'video']),
  host(formerPhone.name, '5e:2f:91:03:77:d4', ['push', 'dns', 'web']),
  host('ben-phone', '8c:79:f5:5a:10:26', ['push', 'dns', 'web'], { client: 'mac' }),
  host('ben-desktop', '2c:f0:5d:5a:10:27', ['dns', 'web', 'video']),
  host('door-camera', '44:19:b6:5a:10:28', ['ntp'], { lease: 'fixed' }),
  host('heater-plug', '24:0a:c4:5a:10:29', ['beacon']),
  host('hall-lights', '00:17:88:5a:10:2a', ['ntp']),
  host('kids-console', '98:b6:e9:5a:10:2b', ['web', 'video']),
  host('kitchen-speaker', 'f4:f5:d8:5a:10:2c', ['dns', 'web']),
  host('garage-pi', 'dc:a6:32:5a:10:2d', ['dns', 'ntp', 'web'], { client: 'duid' }),
  host('kids-tablet', 'fc:65:de:5a:10:2e', ['dns', 'web', 'video'], { client: 'mac' }),
];

const listAddresses = (services: readonly Service[]) => services.flatMap(({ addresses }) => addresses);

/** Whom the household talks to; the simulated feeds list where the `threat` application goes. */
export const homeDestinations: Destinations = {
  pool: listAddresses(webServices),
  own: {
    dns: listAddresses(nameServers),
    ntp: listAddresses(timeServers),
    push: listAddresses(pushServices),
    beacon: deviceCloud.addresses,
  },
  threat: listedServices.c2.addresses[0] ?? '',
};

/** The address of the host with this name, such as `192.168.100.3`. */
export function homeAddress(name: string): string {
  const index = homeHosts.findIndex((one) => one.name === name);
  if (index < 0) {
    throw new Error(`nobody at home is called ${name}`);
  }
  return `192.168.100.${index + 2}`;
}

/** What a resolver like dnsmasq would write when the household asks for its services, and of the LAN's own names. */
export function listResolverLines(): string[] {
  const all = [
    ...[webServices, nameServers, timeServers, pushServices].flat(),
    ...[deviceCloud, ...Object.values(listedServices)],
  ];
  return [
    ...all.flatMap(({ name, addresses }) => addresses.map((address) => `dnsmasq[512]: reply ${name} is ${address}`)),
    ...homeHosts.flatMap(({ name, lease }) =>
      lease === 'fixed' && name !== null ? [`dnsmasq[512]: DHCP ${homeAddress(name)} is ${name}.lan`] : [],
    ),
  ];
}

/** The boxes of the access point, and who is connected to them. */
export const homeMesh: Pick<MeshSettings, 'nodes' | 'clients'> = {
  nodes: [
    { id: 'node-1', name: 'Hall', mac: 'ac:84:c6:5a:10:31', role: 'main', online: true },
    { id: 'node-2', name: 'Attic', mac: 'ac:84:c6:5a:10:32', role: 'satellite', online: true },
    { id: 'node-3', name: 'Garden', mac: 'ac:84:c6:5a:10:33', role: 'satellite', online: true },
  ],
  clients: [
    wireless('livingroom-tv', 'Living room TV', 'node-1', '5'),
    wireless(formerPhone.name, "Anna's phone", 'node-1', '5', true),
    wireless('ben-phone', "Ben's phone", 'node-2', '6', true),
    wireless('anna-laptop', "Anna's laptop", 'node-2', '5'),
    wireless('door-camera', 'Door camera', 'node-3', '2.4'),
    wireless('heater-plug', null, 'node-3', '2.4'),
    wireless('kids-tablet', 'Tablet', 'node-2', '5'),
  ],
};

function wireless(
  of: string,
  name: string | null,
  node: string,
  band: SimulatedClient['band'],
  roams = false,
): SimulatedClient {
  const mac = homeHosts.find((one) => one.name === of)?.mac ?? '';
  return { mac, ip: homeAddress(of), name, node, band, signal: -35 - (hash('signal', of) % 45), roams };
}
