// The world of one router: hosts, traffic and the NAT table as functions of the clock. Nothing runs between two reads.
import { type Clock, utcTime } from '#kernel/time/clock.ts';
import { createRandom, hash } from '../../support/random.ts';
import type { Account, Credentials, DeviceSettings, Host, NatEntry, WorldView } from '../model.ts';
import type { Profile } from '../profiles.ts';
import { ipv4Text } from './address.ts';
import { type HostKind, Lan } from './hosts.ts';
import { NatTable } from './nat-table.ts';
import { defaultTimers, getTimeout, type Timers } from './timers.ts';
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
  /** Flows that start at their own times, in the order of these; none when absent. */
  flows?: readonly Flow[];
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
  /** The hosts of the LAN by their own names, whatever they announce. */
  lanHosts(): readonly Host[];
  /** Adds a host to the LAN, which makes its traffic from now on. Throws when its name is taken or the LAN is full. */
  join(kind: HostKind): Host;
  clearTable(): void;
  /** Everything volatile is lost; the router is up again at `upAt`. */
  reboot(upAt: number): void;
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
  const { profile, clock } = options;
  const { now } = clock;
  const settings: DeviceSettings = {
    ...profile.device,
    profile: profile.name,
    consoleInfo: false,
    changed: false,
    clockSkewMs: 0,
    clockSet: true,
    bootedAt: now() - uptimeMs,
    ...options.settings,
  };
  const timers = { ...defaultTimers[profile.kind], ...options.timers };
  const lan = new Lan(options, settings);
  let refused = 0;
  const table = new NatTable({
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
  const advance = createAdvance(options, { settings, lan, table });
  const addSessions = (count: number) => {
    advance();
    for (const flow of createStanding(options, lan.all, count, now())) {
      table.add(flow);
    }
  };
  const [first] = lan.all;
  if (first) {
    table.addStatic({ proto: 'tcp', src: first.ipv4, port: 443, createdAt: settings.bootedAt });
  }
  addSessions(options.sessions);
  const world = createView(options, { settings, timers, lan, table, advance });
  return {
    ...world,
    viewFor: (users) => ({ ...world, users }),
    flow(request) {
      advance();
      lan.ensure(request.src);
      return table.add(createFlow(request, options.seed, now(), table), request.outerPort);
    },
    endFlow: (entry, how = 'fin') => table.end(entry, how),
    lanHosts: () => lan.all,
    join(kind) {
      advance();
      return lan.join(kind);
    },
    clearTable() {
      advance();
      table.clear();
    },
    reboot(upAt) {
      advance();
      table.restart();
      Object.assign(settings, { bootedAt: upAt, clockSet: false });
    },
    addSessions,
    renameHosts: (rename) => lan.rename(rename),
    configure(change) {
      Object.assign(settings, change);
    },
    refused: () => refused,
  };
}

/** Returns what brings the table to the present. What starts while the router is down never gets in. */
function createAdvance(options: WorldOptions, parts: { settings: DeviceSettings; lan: Lan; table: NatTable }) {
  const { profile, clock, seed, destinations, flows = [] } = options;
  const { settings, lan, table } = parts;
  let next = 0;
  const seeds = { seed, salt: profile.kind };
  let advancedTo = clock.now() - historyMs;
  let isAdvancing = false;
  const listStarting = (from: number): Flow[] =>
    lan.all
      .flatMap((host) => host.apps.flatMap((app) => flowsIn(app, seeds, host.ipv4, from, destinations)))
      .sort((a, b) => a.startAt - b.startAt);
  return (): void => {
    if (isAdvancing) {
      return;
    }
    isAdvancing = true;
    const to = clock.now();
    if (!settings.clockSet && to >= settings.bootedAt + clockSyncMs) {
      settings.clockSet = true;
    }
    const from = Math.max(advancedTo, to - longestGapMs);
    if (options.traffic) {
      for (let window = Math.floor(from / windowMs) * windowMs; window <= to; window += windowMs) {
        for (const flow of listStarting(window)) {
          if (flow.startAt > from && flow.startAt <= to && flow.startAt >= settings.bootedAt) {
            table.add(flow);
          }
        }
      }
    }
    for (let flow = flows[next]; flow !== undefined && flow.startAt <= to; flow = flows[next]) {
      next += 1;
      if (flow.startAt >= settings.bootedAt) {
        table.add(flow);
      }
    }
    advancedTo = Math.max(advancedTo, to);
    isAdvancing = false;
  };
}

interface ViewParts {
  settings: DeviceSettings;
  timers: Timers;
  lan: Lan;
  table: NatTable;
  advance: () => void;
}

/** The world as commands read it. */
function createView(options: WorldOptions, { settings, timers, lan, table, advance }: ViewParts) {
  const { now } = options.clock;
  const world: Omit<WorldView, 'users'> = {
    kind: options.profile.kind,
    settings,
    timers,
    credentials: options.credentials,
    accounts: options.accounts ?? new Map(),
    now,
    routerNow() {
      advance();
      // A router that has not got the time yet counts from 1 March 1993.
      return settings.clockSet ? now() + settings.clockSkewMs : utcTime(1993, 3, 1) + now() - settings.bootedAt;
    },
    hosts: () => lan.announced(),
    nat() {
      advance();
      return table.live();
    },
    ttl: (entry) =>
      entry.fixed ? 0 : Math.max(0, Math.ceil((entry.lastPacketAt - now()) / 1000 + getTimeout(timers, entry))),
    natCounters() {
      advance();
      return table.counters();
    },
    timeout: (entry) => getTimeout(timers, entry),
    change(change) {
      Object.assign(settings, { changed: true }, change);
    },
  };
  return world;
}

/** A flow that begins `at`, with a free source port where none is asked for. */
function createFlow(request: FlowRequest, seed: number, at: number, table: NatTable): Flow {
  const { src, dst, dport, proto = 'tcp', lastsMs, everyMs = 10_000, ends = 'silent' } = request;
  const { bytesIn = 420, bytesOut = 180 } = request;
  const hasPorts = proto === 'tcp' || proto === 'udp';
  const random = createRandom(hash(seed, src, dst, dport, at));
  const draw = () => (hasPorts ? random.int(49_152, 65_535) : 0);
  const tuple = { proto, src, dst, dport };
  let sport = request.sport ?? draw();
  // As a host does: a connection that is open keeps its port.
  while (request.sport === undefined && hasPorts && table.holds({ ...tuple, sport })) {
    sport = draw();
  }
  const endAt = lastsMs === undefined ? null : at + lastsMs;
  return { ...tuple, sport, startAt: at, everyMs, endAt, ends, burst: { packets: 1, bytesIn, bytesOut } };
}

/** `count` flows that began in the past hours and go on, each to a destination of its own while the pool has more. */
function createStanding(options: WorldOptions, hosts: readonly Host[], count: number, at: number): Flow[] {
  const { seed, destinations } = options;
  const { pool } = destinations;
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
