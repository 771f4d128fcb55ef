// The hosts of the simulated LAN: seeded identities, and the ages of their ARP entries and leases as functions of the clock.
import type { Clock } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { createRandom, hash } from '../../support/random.ts';
import type { DeviceSettings, Host } from '../model.ts';
import { ipv4Text, isInside, networkStart } from './address.ts';
import type { Application } from './traffic.ts';

export interface LanHost extends Host {
  apps: readonly Application[];
}

interface LanOptions {
  seed: number;
  clock: Clock;
  /** How many hosts of the usual kinds, or what the hosts are, in the order of their addresses. */
  hosts: number | readonly HostKind[];
}

type Rename = (name: string) => string;

export class Lan {
  readonly #options: LanOptions;
  readonly #network: Pick<DeviceSettings, 'lanAddress' | 'lanPrefix'>;
  readonly #hosts: LanHost[];
  #rename: Rename | null = null;

  constructor(options: LanOptions, network: Pick<DeviceSettings, 'lanAddress' | 'lanPrefix'>) {
    this.#options = options;
    this.#network = network;
    const { hosts } = options;
    const count = typeof hosts === 'number' ? hosts : hosts.length;
    this.#hosts = Array.from({ length: count }, (_, index) => this.#create(index));
  }

  get all(): readonly LanHost[] {
    return this.#hosts;
  }

  announced(): readonly Host[] {
    const rename = this.#rename;
    return rename ? this.#hosts.map((host) => renameHost(host, rename)) : this.#hosts;
  }

  /** Announces other names; null: their own again. */
  rename(rename: Rename | null): void {
    this.#rename = rename;
  }

  /** Adds a host of this address, unless there is one or the address is outside of the LAN. */
  ensure(address: string): void {
    const { lanAddress, lanPrefix } = this.#network;
    if (!this.#hosts.some(({ ipv4 }) => ipv4 === address) && isInside(address, lanAddress, lanPrefix)) {
      this.#hosts.push(this.#create(this.#hosts.length, address));
    }
  }

  /** Adds a host at the next free address. Throws when its name is taken, or no address is free. */
  join(kind: HostKind): Host {
    if (kind.name !== null && this.#hosts.some(({ name }) => name === kind.name)) {
      throw new Error(`the LAN has a host ${kind.name} already`);
    }
    const { lanAddress, lanPrefix } = this.#network;
    const start = networkStart(lanAddress, lanPrefix);
    const taken = new Set([lanAddress, ...this.#hosts.map(({ ipv4 }) => ipv4)]);
    // Neither the address of the network nor that of its broadcast.
    const address = Array.from({ length: 2 ** (32 - lanPrefix) - 3 }, (_, index) => ipv4Text(start + 2 + index)).find(
      (one) => !taken.has(one),
    );
    if (address === undefined) {
      throw new Error('the LAN has no free address');
    }
    const host = this.#create(this.#hosts.length, address, kind);
    this.#hosts.push(host);
    return host;
  }

  #create(index: number, address?: string, joined?: HostKind): LanHost {
    const { seed, clock, hosts } = this.#options;
    const { lanAddress, lanPrefix } = this.#network;
    const kinds = typeof hosts === 'number' ? usualKinds : hosts;
    const kind = address === undefined ? kinds[index % kinds.length] : joined;
    const ipv4 = address ?? kind?.ipv4 ?? ipv4Text(networkStart(lanAddress, lanPrefix) + 2 + index);
    const repeat = joined === undefined && kinds.length <= index ? Math.floor(index / kinds.length) : 0;
    return createHost({ seed, index, ipv4, now: clock.now, kind: kind ?? plainKind, repeat });
  }
}

function renameHost(host: Host, rename: Rename): Host {
  const { name } = host;
  return Object.defineProperty(Object.create(host) as Host, 'name', {
    value: name === null ? null : rename(name),
    enumerable: true,
  });
}

export interface HostKind {
  /** As it asks for an address; null when it sends none. */
  name: string | null;
  apps: readonly Application[];
  lease: Host['lease'];
  client: 'plain' | 'mac' | 'duid';
  /** Lower-case colon form; one of the documentation block (RFC 7042) when absent. */
  mac?: string;
  /** The next one of the LAN when absent. */
  ipv4?: string;
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

const plainKind: HostKind = { name: null, apps: [], lease: 'dynamic', client: 'plain' };

interface HostIdentity {
  seed: number;
  index: number;
  ipv4: string;
  now: () => number;
  kind: HostKind;
  /** How many hosts before it are of the same kind: its name gets a number. */
  repeat: number;
}

/** The same seed gives the same host on every router of the LAN. */
function createHost({ seed, index, ipv4, now, kind, repeat }: HostIdentity): LanHost {
  const random = createRandom(hash(seed, 'host', ipv4));
  const mac = kind.mac ?? `00:00:5e:00:53:${(index & 0xff).toString(16).padStart(2, '0')}`;
  const bytes = mac.split(':');
  const refreshMs = random.int(30_000, 600_000);
  const phase = random.int(0, refreshMs - 1);
  const leaseMs = random.int(1, 3) * dayMs;
  const leasePhase = random.int(0, leaseMs - 1);
  const word = () => random.int(0x1000, 0xffff).toString(16);
  const duid = `ff ${bytes.slice(2).join(' ')} 00 01 00 01 ${word().match(/../g)?.join(' ')} 00 00 ${bytes.join(' ')}`;
  return {
    name: kind.name !== null && repeat > 0 ? `${kind.name}-${repeat + 1}` : kind.name,
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
