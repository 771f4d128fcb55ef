// The world one simulated router stands in, as its tables know it. Data only; `world.ts` moves it, vendors print it.

export type RouterKind = 'vendor_a' | 'vendor_b';

export interface Host {
  /** DHCP host name; null when it sends none. */
  name: string | null;
  /** Lower-case colon form. */
  mac: string;
  ipv4: string;
  ipv6: readonly string[];
  /** Port of the built-in switch, 1… */
  port: number;
  /** Epoch ms the ARP entry was last refreshed. */
  arpAt: number;
  /** `fixed` leases show as reserved addresses and permanent ARP entries. */
  lease: 'fixed' | 'dynamic';
  leaseUntil: number;
  /** DHCP client identifier bytes as hex pairs, `01` + MAC or `ff` + DUID; null = plain MAC client. */
  clientId: string | null;
}

/** One NAT table entry. Printed values (TTL, ages) are computed from these when the row is printed. */
export interface NatEntry {
  /** Counts up per router: vendor_b's entry-id. */
  id: number;
  proto: 'tcp' | 'udp' | 'icmp' | 'esp' | 'gre';
  src: string;
  sport: number;
  dst: string;
  dport: number;
  /** Outer (inside global) port, or ICMP query id. */
  outerPort: number;
  createdAt: number;
  lastPacketAt: number;
  /** FIN or RST was seen: the short timer runs. */
  closing: boolean;
  /** Static port mapping: no destination, never ages. */
  fixed: boolean;
  /** One-to-one address mapping (only with `fixed`): this outer address instead of the WAN one, and no ports. */
  outerAddress?: string;
  /** vendor_b: the VRF the inside address is in; absent = the global table. */
  vrf?: string;
  bytesIn: number;
  bytesOut: number;
  packetsIn: number;
  packetsOut: number;
}

export type CharacterSet = 'en.ascii' | 'ja.sjis' | 'ja.euc' | 'ja.utf8';

/** Device-wide settings: what `console …` changes on vendor_a, what identifies the box on both. */
export interface DeviceSettings {
  /** Dialect name, such as `rtx1210-ja-sjis` or `c841m-ios155`; see `profiles.ts`. */
  profile: string;
  model: string;
  version: string;
  /** vendor_b prompt stem; vendor_a `console prompt` (empty by default). */
  hostName: string;
  /** vendor_a `console character`. */
  character: CharacterSet;
  /** vendor_a: what it really prints in, where that is not `character`. */
  spokenCharacter?: CharacterSet;
  /** vendor_a: what its prompt is printed in, where that is not what all the rest is. */
  promptCharacter?: CharacterSet;
  /** vendor_a `console lines`: 10…100 or infinity. vendor_b starts each session with 24. */
  lines: number | 'infinity';
  columns: number;
  /** Log lines appear inside sessions (`console info on`, `terminal monitor`). */
  consoleInfo: boolean;
  /** Settings differ from the saved configuration: vendor_a asks Y/N at the last exit. */
  changed: boolean;
  natDescriptor: number;
  lanAddress: string;
  lanPrefix: number;
  wanAddress: string;
  tableLimit: number;
  /** Shift of the router's own clock against the simulator's clock, and its zone, in ms. */
  clockSkewMs: number;
  clockZoneMs: number;
  clockSet: boolean;
  bootedAt: number;
  /** MACs of the router's own interfaces. */
  macs: readonly string[];
}

export interface Credentials {
  user: string;
  password: string;
  /** `enable` secret or administrator password; null = none set. */
  enable: string | null;
  /** The user lands on `#` at once (vendor_b privilege 15). */
  privileged: boolean;
}

/** Somebody who was added by a command, as the quick starts do. */
export interface Account {
  password: string;
  /** Lands on `#` at once (vendor_b privilege 15). */
  privileged: boolean;
}

/** Totals since boot, for statistics commands. */
export interface NatCounters {
  /** Most dynamic entries at one time, and when that was (epoch ms). */
  peak: number;
  peakAt: number;
  /** Packets translated, and of these the ones taken out of the fast path. */
  hits: number;
  punted: number;
  expired: number;
}

/** The world as commands read it. `now` is the simulator's clock in epoch ms. */
export interface WorldView {
  readonly kind: RouterKind;
  readonly settings: DeviceSettings;
  /** Seconds without a packet after which an entry of each class is removed. */
  readonly timers: Readonly<Record<'tcp' | 'udp' | 'icmp' | 'dns' | 'closing' | 'other', number>>;
  readonly credentials: Credentials;
  /** By name: who may log in besides the user of `credentials`. */
  readonly accounts: Map<string, Account>;
  now(): number;
  /** The router's own idea of the time. */
  routerNow(): number;
  hosts(): readonly Host[];
  /** Live NAT entries now, in table order, static ones first. */
  nat(): readonly NatEntry[];
  /** Seconds the entry would still live if no packet came. */
  ttl(entry: NatEntry): number;
  /** The full timer in force for the entry, in seconds. */
  timeout(entry: NatEntry): number;
  /** What the NAT engine counted since boot. */
  natCounters(): NatCounters;
  /** Users logged in now, for `show users` / `show status user`. */
  users(): readonly { user: string; from: string; privileged: boolean; self: boolean }[];
  /** Changes device-wide settings (vendor_a `console …`) and marks them changed; `{ changed: false }` is a save. */
  change(change: Partial<DeviceSettings>): void;
}
