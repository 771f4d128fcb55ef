// The world of one router: hosts, traffic and the NAT table as functions of the clock. Nothing runs between two reads.
import { type Clock, utcTime } from '#kernel/time/clock.ts';
import { createRandom, hash } from '../../support/random.ts';
import type { Account, Credentials, DeviceSettings, Host, NatEntry, WorldView } from '../model.ts';
import type { Profile } from '../profiles.ts';
import { ipv4Text, isInside } from './address.ts';
import { createHost, type HostKind, type LanHost } from './hosts.ts';
import { createNatTable, type NatTable } from './nat-table.ts';
import { defaultTimers, type Timers, timeoutOf } from './timers.ts';
import { type Destinations, type Flow, flowsIn, windowMs } from './traffic.ts';

export interface WorldOptions {
  profile: Profile;
  clock: Clock;
  seed: number;
  /** Standing sessions, 0…65,000: entries that stay, with a packet every few seconds. */
  sessions: number;
  /** Hosts on the LAN: 0…250 of the usual kinds, or these. */
  hosts: number | readonly HostKind[];
  /** Whether the hosts do what their kind does; without it only standing sessions and put-in flows exist. */
  traffic: boolean;
  credentials: Credentials;
  /** Filled by commands; nobody when absent. */
  accounts?: Map<string, Account>;
  settings: Partial<DeviceSettings>;
  timers: Partial<Timers>;
  destinations: Destinations;
  onRefused?: (reason: 'table' | 'ports') => void;
}

/** A flow as a test puts it in; from now on, a packet every 10 s until it is ended, unless it says otherwise. */
export interface FlowRequest {
  src: string;
  dst: string;
  dport: number;
  proto?: NatEntry['proto'];
  sport?: number;
  outerPort?: number;
  everyMs?: number;
  /** The last packet comes so many ms from now. */
  lastsMs?: number;
  ends?: Flow['ends'];
  bytesIn?: number;
  bytesOut?: number;
}

export type Users = ReturnType<WorldView['users']>;

export interface World extends Omit<WorldView, 'users'> {
  /** What one login sees: the world and who else is on. */
  viewFor(users: () => Users): WorldView;
  /** Puts a flow in; null when the table or the port pool is full. */
  flow(request: FlowRequest): NatEntry | null;
  endFlow(entry: NatEntry, how?: Flow['ends']): void;
  clearTable(): void;
  /** Everything volatile is lost; the router is up again at `upAt`. */
  reboot(upAt: number): void;
  /** Adds standing sessions. */
  addSessions(count: number): void;
  /** Host names as they are announced, for the fault `prompt-like-content`. */
  renameHosts(rename: ((name: string) => string) | null): void;
  /** Changes settings without marking them changed. */
  configure(change: Partial<DeviceSettings>): void;
  /** Flows refused because the table or the ports were used up. */
  refused(): number;
}

const uptimeMs = 9 * 86_400_000 + 4 * 3_600_000;
const historyMs = 2 * 3_600_000;
const longestGapMs = 25 * 3_600_000;
const clockSyncMs = 90_000;

export function createWorld(options: WorldOptions): World {
  const { profile, clock, seed } = options;
  const startedAt = clock.now();
  const now = () => clock.now();
  const settings: DeviceSettings = {
    ...profile.device,
    profile: profile.name,
    consoleInfo: false,
    changed: false,
    clockSkewMs: 0,
    clockSet: true,
    bootedAt: startedAt - uptimeMs,
    ...options.settings,
  };
  const timers = { ...defaultTimers[profile.kind], ...options.timers };
  const { lanAddress, lanPrefix } = settings;
  const kinds = typeof options.hosts === 'number' ? undefined : options.hosts;
  const hostOptions = { seed, lanAddress, lanPrefix, now, kinds };
  const count = typeof options.hosts === 'number' ? options.hosts : options.hosts.length;
  const hosts: LanHost[] = Array.from({ length: count }, (_, i) => createHost(hostOptions, i));
  let refused = 0;
  let rename: ((name: string) => string) | null = null;
  let advancedTo = startedAt - historyMs;
  let advancing = false;

  const table: NatTable = createNatTable({
    now,
    timers,
    natType: profile.natType,
    portsPerProtocol: profile.kind === 'vendor_b',
    outerPorts: profile.outerPorts,
    limit: () => settings.tableLimit,
    onRefused: (reason) => {
      refused += 1;
      options.onRefused?.(reason);
    },
  });

  const starting = (from: number): Flow[] => {
    const seeds = { seed, salt: profile.kind };
    return hosts
      .flatMap((host) => host.apps.flatMap((app) => flowsIn(app, seeds, host.ipv4, from, options.destinations)))
      .sort((a, b) => a.startAt - b.startAt);
  };

  /** Brings the table to the present. What starts while the router is down never gets in. */
  const advance = () => {
    if (advancing) {
      return;
    }
    advancing = true;
    const to = now();
    if (!settings.clockSet && to >= settings.bootedAt + clockSyncMs) {
      settings.clockSet = true;
    }
    const from = Math.max(advancedTo, to - longestGapMs);
    if (options.traffic) {
      for (let window = Math.floor(from / windowMs) * windowMs; window <= to; window += windowMs) {
        for (const flow of starting(window)) {
          if (flow.startAt > from && flow.startAt <= to && flow.startAt >= settings.bootedAt) {
            table.add(flow);
          }
        }
      }
    }
    advancedTo = Math.max(advancedTo, to);
    advancing = false;
  };

  const addSessions = (count: number) => {
    advance();
    for (const flow of standing({ seed, hosts, pool: options.destinations.pool }, count, now())) {
      table.add(flow);
    }
  };

  if (hosts[0]) {
    table.addStatic({ proto: 'tcp', src: hosts[0].ipv4, port: 443, createdAt: settings.bootedAt });
  }
  addSessions(options.sessions);

  const hostOf = (address: string) => {
    if (!hosts.some((host) => host.ipv4 === address) && isInside(address, settings.lanAddress, settings.lanPrefix)) {
      hosts.push(createHost(hostOptions, hosts.length, address));
    }
  };

  const routerNow = () => {
    const shown = now() + settings.clockSkewMs;
    return settings.clockSet ? shown : utcTime(1993, 3, 1) + now() - settings.bootedAt;
  };

  const world: Omit<WorldView, 'users'> = {
    kind: profile.kind,
    settings,
    timers,
    credentials: options.credentials,
    accounts: options.accounts ?? new Map(),
    now,
    routerNow: () => {
      advance();
      return routerNow();
    },
    hosts: () => (rename ? hosts.map((host) => renamed(host, rename)) : hosts),
    nat: () => {
      advance();
      return table.live();
    },
    ttl: (entry) =>
      entry.fixed ? 0 : Math.max(0, Math.ceil((entry.lastPacketAt - now()) / 1000 + timeoutOf(timers, entry))),
    natCounters: () => {
      advance();
      return table.counters();
    },
    timeout: (entry) => timeoutOf(timers, entry),
    change: (change) => {
      Object.assign(settings, { changed: true }, change);
    },
  };

  return {
    ...world,
    viewFor: (users) => ({ ...world, users }),
    flow(request) {
      advance();
      hostOf(request.src);
      const proto = request.proto ?? 'tcp';
      const hasPorts = proto === 'tcp' || proto === 'udp';
      const random = createRandom(hash(seed, request.src, request.dst, request.dport, now()));
      const drawn = () => (hasPorts ? random.int(49_152, 65_535) : 0);
      const tuple = { proto, src: request.src, dst: request.dst, dport: request.dport };
      let sport = request.sport ?? drawn();
      // As a host does: a connection that is open keeps its port.
      while (request.sport === undefined && hasPorts && table.holds({ ...tuple, sport })) {
        sport = drawn();
      }
      return table.add(
        {
          ...tuple,
          sport,
          startAt: now(),
          everyMs: request.everyMs ?? 10_000,
          endAt: request.lastsMs === undefined ? null : now() + request.lastsMs,
          ends: request.ends ?? 'silent',
          burst: { packets: 1, bytesIn: request.bytesIn ?? 420, bytesOut: request.bytesOut ?? 180 },
        },
        request.outerPort,
      );
    },
    endFlow: (entry, how = 'fin') => table.end(entry, how),
    clearTable: () => {
      advance();
      table.clear();
    },
    reboot(upAt) {
      advance();
      table.restart();
      Object.assign(settings, { bootedAt: upAt, clockSet: false });
    },
    addSessions,
    renameHosts: (how) => {
      rename = how;
    },
    configure: (change) => {
      Object.assign(settings, change);
    },
    refused: () => refused,
  };
}

interface Standing {
  seed: number;
  hosts: readonly Host[];
  pool: Destinations['pool'];
}

/** `count` flows that began in the past hours and go on, each to a destination of its own while `pool` has more. */
function standing({ seed, hosts, pool }: Standing, count: number, at: number): Flow[] {
  const random = createRandom(hash(seed, 'standing'));
  const flows: Flow[] = [];
  for (let i = 0; i < count; i++) {
    const host = hosts[i % hosts.length];
    if (!host) {
      throw new Error('standing sessions need at least one host: set hosts to 1 or more');
    }
    const proto = i % 4 === 3 ? 'udp' : 'tcp';
    const everyMs = random.int(5_000, 55_000);
    flows.push({
      proto,
      src: host.ipv4,
      sport: random.int(10_000, 65_535),
      dst: pool?.[i % pool.length] ?? ipv4Text(0xc6120000 + (i % 0x20000)),
      dport: proto === 'udp' ? 443 : random.pick([443, 443, 443, 80, 993, 22]),
      startAt: at - Math.floor(((count - i) * 7_200_000) / Math.max(count, 1)),
      everyMs,
      endAt: null,
      ends: 'silent',
      burst: { packets: 1, bytesIn: random.int(60, 1_400), bytesOut: random.int(60, 400) },
    });
  }
  return flows;
}

function renamed(host: Host, rename: ((name: string) => string) | null): Host {
  const { name } = host;
  return Object.defineProperty(Object.create(host) as Host, 'name', {
    value: name === null || rename === null ? name : rename(name),
    enumerable: true,
  });
}
