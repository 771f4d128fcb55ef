// A router world that stands still and holds exactly what the fixture files were written from.
import { readdirSync, readFileSync } from 'node:fs';
import { utcTime } from '#kernel/time/clock.ts';
import type { DeviceSettings, Host, NatCounters, NatEntry, RouterKind, WorldView } from '#simulators/router/model.ts';
import { findProfile } from '#simulators/router/profiles.ts';
import { defaultTimers } from '#simulators/router/world/timers.ts';

/** 12:00:00 in the routers' zone, nine hours east. */
export const frozenAt = utcTime(2026, 3, 1, 3);

const zoneMs = 9 * 3_600_000;

export interface ExpectedSession {
  proto: NatEntry['proto'];
  src: string;
  sport: number | null;
  dst: string;
  dport: number | null;
  nat: number | null;
  ttlSec?: number;
  ageSec?: number;
  idleSec?: number;
  timeoutSec?: number;
}

export interface Expected {
  lan: string;
  dynamic: number;
  static: number;
  sessions: readonly ExpectedSession[];
}

export interface FrozenOptions {
  profile?: string;
  settings?: Partial<DeviceSettings>;
  hosts?: readonly Host[];
  nat?: FrozenTable;
  counters?: Partial<NatCounters>;
  enable?: string | null;
  privileged?: boolean;
  user?: string;
  users?: ReturnType<WorldView['users']>;
}

export interface FrozenTable {
  entries: readonly NatEntry[];
  /** Seconds left and the full timer, by entry id. */
  timers: ReadonlyMap<number, { ttl: number; timeout: number }>;
}

const emptyTable: FrozenTable = { entries: [], timers: new Map() };

const fixtures = new URL('../../fixtures/routers/', import.meta.url);

/** The bytes of a fixture, named from `fixtures/routers/`. */
export function fixture(path: string): Buffer {
  return readFileSync(new URL(path, fixtures));
}

/** File names in a folder of `fixtures/routers/`. */
export function fixtureNames(folder: string): readonly string[] {
  return readdirSync(new URL(`${folder}/`, fixtures));
}

/** What a correct reader makes of a fixture. */
export function expectedOf(path: string): Expected {
  return JSON.parse(fixture(path).toString('utf8')) as Expected;
}

export function frozenWorld(kind: RouterKind, options: FrozenOptions = {}): WorldView {
  const profile = findProfile(kind, options.profile);
  const settings: DeviceSettings = {
    ...profile.device,
    profile: profile.name,
    consoleInfo: false,
    changed: false,
    clockSkewMs: 0,
    clockSet: true,
    bootedAt: frozenAt - (9 * 24 + 4) * 3_600_000,
    ...options.settings,
  };
  const { entries, timers } = options.nat ?? emptyTable;
  return {
    kind,
    settings,
    timers: defaultTimers[kind],
    credentials: {
      user: options.user ?? 'monitor',
      password: 'pass',
      enable: options.enable === undefined ? 'secret' : options.enable,
      privileged: options.privileged ?? false,
    },
    now: () => frozenAt,
    routerNow: () => frozenAt + settings.clockSkewMs,
    hosts: () => options.hosts ?? [],
    nat: () => entries,
    ttl: ({ id }) => timers.get(id)?.ttl ?? 0,
    timeout: ({ id }) => timers.get(id)?.timeout ?? 0,
    natCounters: () => ({ peak: 0, peakAt: frozenAt, hits: 0, punted: 0, expired: 0, ...options.counters }),
    users: () => options.users ?? [],
    accounts: new Map(),
    change: (change) => {
      Object.assign(settings, { changed: true }, change);
    },
  };
}

/**
 * The table behind a fixture. vendor_b's has one-to-one mapping and ages of its own; the entry ids count up from
 * 4097 as the fixtures have them. `mappings` limits the static port mappings.
 */
export function frozenTable(kind: RouterKind, expected: Expected, mappings = 4): FrozenTable {
  const lan = expected.lan.replace(/\.\d+$/, '');
  const ports = [
    ['tcp', `${lan}.2`, 443],
    ['tcp', `${lan}.2`, 5001],
    ['udp', `${lan}.1`, 500],
    ['udp', `${lan}.1`, 4500],
  ] as const;
  const fixed = ports
    .slice(0, mappings)
    .map(([proto, src, port]) => mapping({ proto, src, sport: port, outerPort: port }));
  const oneToOne = mapping({ src: `${lan}.3`, outerAddress: '203.0.113.30', lastPacketAt: frozenAt - 4_000_000 });
  const sessions = expected.sessions.map(dynamic);
  const entries = [...fixed, ...(kind === 'vendor_b' ? [oneToOne] : []), ...sessions].map((entry, index) =>
    numbered(entry, 4097 + index),
  );
  const timed = entries.filter((entry) => !entry.fixed);
  const timers = new Map(timed.map(({ id }, index) => [id, timersOf(expected.sessions[index])]));
  return { entries, timers };
}

function timersOf(session: ExpectedSession | undefined): { ttl: number; timeout: number } {
  const timeout = session?.timeoutSec ?? 900;
  return { ttl: session?.ttlSec ?? timeout - (session?.idleSec ?? 0), timeout };
}

function mapping(part: Partial<NatEntry>): NatEntry {
  return {
    id: 0,
    proto: 'tcp',
    src: '',
    sport: 0,
    dst: '',
    dport: 0,
    outerPort: 0,
    createdAt: frozenAt - 9 * 86_400_000,
    lastPacketAt: frozenAt - 300_000,
    closing: false,
    fixed: true,
    bytesIn: 0,
    bytesOut: 0,
    packetsIn: 0,
    packetsOut: 0,
    ...part,
  };
}

function dynamic(session: ExpectedSession): NatEntry {
  return mapping({
    proto: session.proto,
    src: session.src,
    sport: session.sport ?? 0,
    dst: session.dst,
    dport: session.dport ?? 0,
    outerPort: session.nat ?? 0,
    createdAt: frozenAt - (session.ageSec ?? 0) * 1000,
    lastPacketAt: frozenAt - (session.idleSec ?? 0) * 1000,
    fixed: false,
  });
}

/** The fixtures count packets of a session from its entry id, 80 bytes each. */
function numbered(entry: NatEntry, id: number): NatEntry {
  const packets = entry.fixed ? 0 : 1 + (id % 50);
  return { ...entry, id, packetsIn: packets, packetsOut: packets, bytesIn: packets * 80, bytesOut: packets * 80 };
}

/** Name, temporary IPv6 address, ARP age in units of the fixture, lease seconds left. */
const lan = [
  ['nas', '12cf:1ede:fa75:b7c4', 97, 0],
  ['printer', '7fe5:4995:94cc:bf28', 37, 67_271],
  ['tv-living', 'c761:8c6a:3f50:684f', 128, 76_434],
  [null, '571e:fab5:4b68:e2aa', 34, 49_938],
  ['phone-b', '351d:55d4:937f:c6d9', 219, 19_870],
  ['laptop-01', '94e3:a530:b338:f7d6', 221, 162_065],
  [null, 'd6a1:1998:39fc:65ac', 4, 110_587],
] as const;

/** The seven hosts of the fixtures. vendor_a counts ARP ages in steps of 5 s, vendor_b in minutes. */
export function frozenHosts(kind: RouterKind): readonly Host[] {
  return lan.map(([name, temporary, age, lease], index) => {
    const mac = `00:00:5e:00:53:0${index}`;
    const bytes = mac.split(':');
    const duid = `ff ${bytes.slice(2).join(' ')} 00 01 00 01 2b 4c 00 00 ${bytes.join(' ')}`;
    const identified = `01 ${bytes.join(' ')}`;
    const place = index - 1;
    const clientIdA = place % 4 === 3 ? duid : place % 2 === 1 ? identified : null;
    const clientIdB = place % 3 === 2 ? duid : identified;
    return {
      name,
      mac,
      ipv4: `192.168.100.${index + 2}`,
      ipv6: [`2001:db8:100::${index + 2}`, `2001:db8:100:0:${temporary}`, `fe80::200:5eff:fe00:530${index}`],
      port: index + 1,
      arpAt: frozenAt - age * (kind === 'vendor_a' ? 5_000 : 60_000),
      lease: index === 0 ? 'fixed' : 'dynamic',
      leaseUntil: kind === 'vendor_a' ? frozenAt + lease * 1000 : utcTime(2026, 3, 2, 11, Math.max(place, 0)) - zoneMs,
      clientId: index === 0 ? null : kind === 'vendor_a' ? clientIdA : clientIdB,
    };
  });
}
