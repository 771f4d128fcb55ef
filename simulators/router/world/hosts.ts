// The hosts of the simulated LAN: seeded identities, and the ages of their ARP entries and leases as functions of the clock.
import { createRandom, hash } from '../../support/random.ts';
import type { Host } from '../model.ts';
import { ipv4Text, networkOf } from './address.ts';
import type { Application } from './traffic.ts';

export interface LanHost extends Host {
  /** What this host does. */
  apps: readonly Application[];
}

export interface HostOptions {
  seed: number;
  lanAddress: string;
  lanPrefix: number;
  now: () => number;
  /** What the hosts are, in the order of their addresses; the usual kinds in turn when absent. */
  kinds?: readonly HostKind[] | undefined;
}

export interface HostKind {
  /** As it asks for an address; null when it sends none. */
  name: string | null;
  apps: readonly Application[];
  lease: Host['lease'];
  /** How it identifies itself to the DHCP server. */
  client: 'plain' | 'mac' | 'duid';
  /** Lower-case colon form; one of the documentation block (RFC 7042) when absent. */
  mac?: string;
}

const usualKinds: readonly HostKind[] = [
  { name: null, apps: ['ntp'], lease: 'fixed', client: 'plain' },
  { name: 'printer', apps: ['iot'], lease: 'dynamic', client: 'plain' },
  { name: 'tv-living', apps: ['dns', 'video', 'web'], lease: 'dynamic', client: 'mac' },
  { name: null, apps: ['vpn', 'ping'], lease: 'dynamic', client: 'plain' },
  { name: 'phone-b', apps: ['push', 'dns', 'web'], lease: 'dynamic', client: 'duid' },
  { name: 'laptop-01', apps: ['dns', 'web', 'video', 'threat'], lease: 'dynamic', client: 'plain' },
  { name: null, apps: ['beacon'], lease: 'dynamic', client: 'mac' },
  { name: 'phone-a', apps: ['push', 'dns', 'web'], lease: 'dynamic', client: 'mac' },
  { name: 'desktop-02', apps: ['dns', 'web', 'p2p'], lease: 'dynamic', client: 'plain' },
  { name: 'camera-door', apps: ['iot', 'ntp', 'beacon'], lease: 'fixed', client: 'plain' },
  { name: 'thermostat', apps: ['iot'], lease: 'dynamic', client: 'plain' },
  { name: 'lab-box', apps: ['scan', 'ping', 'dns'], lease: 'dynamic', client: 'duid' },
];

const dayMs = 86_400_000;

/** Host number `index` (0…) of the LAN. The same seed gives the same host on every router of that LAN. */
export function createHost(options: HostOptions, index: number, address?: string): LanHost {
  const { seed, now, kinds = usualKinds } = options;
  const ipv4 = address ?? ipv4Text(networkOf(options.lanAddress, options.lanPrefix) + 2 + index);
  const random = createRandom(hash(seed, 'host', ipv4));
  const kind: HostKind =
    address === undefined
      ? (kinds[index % kinds.length] ?? { name: null, apps: [], lease: 'dynamic', client: 'plain' })
      : { name: null, apps: [], lease: 'dynamic', client: 'plain' };
  const number = index & 0xff;
  const mac = kind.mac ?? `00:00:5e:00:53:${number.toString(16).padStart(2, '0')}`;
  const bytes = mac.split(':');
  const refreshMs = random.int(30_000, 600_000);
  const phase = random.int(0, refreshMs - 1);
  const leaseMs = random.int(1, 3) * dayMs;
  const leasePhase = random.int(0, leaseMs - 1);
  const word = () => random.int(0x1000, 0xffff).toString(16);
  const duid = `ff ${bytes.slice(2).join(' ')} 00 01 00 01 ${word().match(/../g)?.join(' ')} 00 00 ${bytes.join(' ')}`;
  const repeat = kinds.length <= index && kind.name !== null ? `-${Math.floor(index / kinds.length) + 1}` : '';
  return {
    name: kind.name === null ? null : `${kind.name}${repeat}`,
    mac,
    ipv4,
    ipv6: [
      `2001:db8:100::${(index + 2).toString(16)}`,
      `2001:db8:100:0:${word()}:${word()}:${word()}:${word()}`,
      `fe80::${interfaceId(mac)}`,
    ],
    port: (index % 8) + 1,
    get arpAt() {
      return now() - ((now() + phase) % refreshMs);
    },
    lease: kind.lease,
    get leaseUntil() {
      return now() + leaseMs - ((now() + leasePhase) % (leaseMs / 2));
    },
    clientId: kind.client === 'plain' ? null : kind.client === 'mac' ? `01 ${bytes.join(' ')}` : duid,
    apps: kind.apps,
  };
}

/** The interface identifier that is made of a MAC (EUI-64, RFC 4291 appendix A), without leading zeros. */
function interfaceId(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  return [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f].map((word) => word.toString(16)).join(':');
}
