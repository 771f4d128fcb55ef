// One simulated router: a real SSH server on loopback, a world behind it, and the control surface.
import { systemClock } from '#kernel/time/clock.ts';
import { createJournal } from '../support/journal.ts';
import { requireLoopback } from '../support/loopback.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { parsePatch, type RouterControl, truthEntry, truthOf } from './control.ts';
import { createFaults } from './faults.ts';
import { type Latency, type LatencyName, latencies } from './latency.ts';
import type { Account, Credentials, DeviceSettings, RouterKind } from './model.ts';
import { type LoginMethod, profileOf } from './profiles.ts';
import { withoutSecrets } from './secret-places.ts';
import { createSessions } from './sessions.ts';
import { startListener } from './ssh/listener.ts';
import { createSshd } from './ssh/sshd.ts';
import type { Replay } from './terminal/terminal.ts';
import type { Vendor } from './vendor.ts';
import { vendors } from './vendors.ts';
import { createViolations } from './violations.ts';
import type { HostKind } from './world/hosts.ts';
import { createIncidents } from './world/incidents.ts';
import type { Timers } from './world/timers.ts';
import type { Destinations } from './world/traffic.ts';
import { createWorld } from './world/world.ts';

export interface RouterOptions extends SimulatorOptions {
  kind: RouterKind;
  /** 1 when absent. Same seed, same clock, same commands: same bytes. */
  seed?: number;
  /** Profile name (profiles.ts); the first of the kind when absent. */
  profile?: string;
  /** Standing sessions, 0…65,000. */
  sessions?: number;
  /** Hosts on the LAN: 0…250 of the usual kinds, or these; 12 when absent. */
  hosts?: number | readonly HostKind[];
  /** Whether the hosts make traffic of their own; false when absent. */
  traffic?: boolean;
  destinations?: Partial<Destinations>;
  credentials?: Partial<Credentials>;
  settings?: Partial<DeviceSettings>;
  timers?: Partial<Timers>;
  /** No waits when absent. */
  latency?: LatencyName | Latency;
  replay?: Replay;
  /** Offer CBC and SHA-1 only. */
  legacyCrypto?: boolean;
  methods?: readonly LoginMethod[];
  /** Userauth banner (`banner login`). */
  loginBanner?: string;
  sessionLimit?: number;
  idleMs?: number;
  loginMs?: number;
  deafMs?: number;
  /** Sessions at once before it is a violation; 2 when absent: a poller and a detection. */
  allowedSessions?: number;
  /** Another command language than the kind's own. */
  vendor?: Vendor;
}

export interface RouterSimulator extends Simulator<RouterControl> {
  readonly kind: RouterKind;
  readonly credentials: Credentials;
}

const defaultCredentials: Credentials = {
  user: 'monitor',
  password: 'monitor-password',
  enable: 'enable-password',
  privileged: false,
};

/** Starts a router; `url` is like `ssh://127.0.0.1:2221`. */
export async function startRouter(options: RouterOptions): Promise<RouterSimulator> {
  const { kind, host = '127.0.0.1', seed = 1, clock = systemClock } = options;
  requireLoopback(host, options.allowNonLoopback);
  const profile = profileOf(kind, options.profile);
  const vendor = options.vendor ?? vendors[kind];
  const firstLatency = typeof options.latency === 'object' ? options.latency : latencies[options.latency ?? 'none'];
  const credentials: Credentials = { ...defaultCredentials, ...options.credentials };
  const firstCredentials = { ...credentials };
  const accounts = new Map<string, Account>();
  const commands: string[] = [];
  const faults = createFaults();
  const stopped = new AbortController();
  let latency: Latency = firstLatency;
  let legacyCrypto = options.legacyCrypto ?? false;

  const secrets = () => [
    credentials.password,
    credentials.enable ?? '',
    ...[...accounts.values()].map(({ password }) => password),
  ];
  const journal = createJournal({ clock, secrets, onEntry: options.onEntry });
  const note = (kind: string, details: Record<string, unknown> = {}) => journal.add(kind, details);
  const violations = createViolations(clock, ({ kind, detail }) => note('violation', { violation: kind, detail }));
  const maskSecrets = (text: string) => withoutSecrets(text, secrets());

  const makeWorld = () =>
    createWorld({
      profile,
      clock,
      seed,
      sessions: options.sessions ?? 0,
      hosts: options.hosts ?? 12,
      traffic: options.traffic ?? false,
      credentials,
      accounts,
      settings: options.settings ?? {},
      timers: options.timers ?? {},
      destinations: { threat: '198.51.100.66', ...options.destinations },
      onRefused,
    });
  const onRefused = (reason: 'table' | 'ports') => {
    if (refusals % 1000 === 0) {
      note('flow-refused', { reason });
    }
    refusals += 1;
  };
  let refusals = 0;
  let world = makeWorld();

  const sessions = createSessions({
    vendor,
    world: () => world,
    clock,
    seed,
    latency: () => latency,
    faults,
    violations,
    replay: () => options.replay ?? {},
    idleMs: options.idleMs ?? profile.idleMs,
    deafMs: options.deafMs ?? profile.deafMs,
    allowed: options.allowedSessions ?? 2,
    onCommand: (line) => {
      commands.push(maskSecrets(line));
      if (!vendor.readOnly(line)) {
        violations.add('not-read-only', maskSecrets(line));
      }
      incidents.beforeCommand(faults, line);
    },
    note,
  });
  const sshd = await createSshd({
    offer: profile.ssh,
    methods: options.methods ?? profile.ssh.methods,
    isLegacy: () => legacyCrypto,
    banner: options.loginBanner ?? null,
    credentials: () => credentials,
    accounts: () => accounts,
    loginMs: options.loginMs ?? profile.loginMs,
    clock,
    faults,
    violations,
    shell: sessions.open,
    note,
  });
  const listener = await startListener({
    host,
    port: options.port ?? 0,
    clock,
    faults,
    credentials,
    acceptMs: firstLatency.acceptMs,
    sessionLimit: () => options.sessionLimit ?? profile.sessionLimit,
    onConnection: (connection) => sshd.accept(connection),
    note,
  });

  const reboot = async (offMs = 60_000) => {
    note('reboot', { offMs });
    world.reboot(clock.now() + offMs);
    const away = clock.sleep(offMs, stopped.signal).then(
      () => listener.start(),
      () => undefined,
    );
    await listener.stop();
    back = away;
  };
  let back: Promise<void> = Promise.resolve();

  const incidents = createIncidents({
    world: () => world,
    changeHostKey: () => {
      const { undo } = sshd.changeHostKey();
      listener.disconnect();
      return () => {
        undo();
        listener.disconnect();
      };
    },
    reboot: (offMs) => void reboot(offMs),
  });

  const control: RouterControl = {
    journal: journal.entries,
    violations: violations.list,
    commands,
    get hostKey() {
      return sshd.fingerprint();
    },
    get settings() {
      return world.settings;
    },
    get sessionsOpen() {
      return sessions.size();
    },
    get connections() {
      return listener.count;
    },
    clearJournal() {
      journal.clear();
      commands.length = 0;
    },
    fail(fault, faultOptions = {}) {
      note('fault-armed', { fault, ...faultOptions });
      if (!incidents.apply(fault, faultOptions)) {
        faults.arm(fault, faultOptions);
      }
    },
    clearFaults() {
      faults.clear();
      incidents.undo();
    },
    reset() {
      control.clearFaults();
      listener.disconnect();
      Object.assign(credentials, firstCredentials);
      accounts.clear();
      latency = firstLatency;
      legacyCrypto = options.legacyCrypto ?? false;
      world = makeWorld();
      violations.clear();
      control.clearJournal();
    },
    state: () => ({
      kind,
      latency,
      legacyCrypto,
      user: credentials.user,
      settings: { ...world.settings },
      sessions: world.nat().length,
      refused: world.refused(),
      sessionsOpen: sessions.size(),
      connections: listener.count,
      hostKey: sshd.fingerprint(),
      faults: faults.list(),
      violations: violations.list.length,
    }),
    patch(change) {
      const parsed = parsePatch(change);
      Object.assign(credentials, parsed.credentials);
      latency = parsed.latency ? latencies[parsed.latency] : latency;
      legacyCrypto = parsed.legacyCrypto ?? legacyCrypto;
      world.configure(defined(parsed.settings ?? {}));
      world.addSessions(parsed.sessions ?? 0);
    },
    flow(request) {
      const entry = world.flow(request);
      const owner = world;
      return entry && { entry: truthEntry(world, entry), end: (how) => owner.endFlow(entry, how) };
    },
    truth: () => truthOf(world),
    async rotateHostKey() {
      const { ready } = sshd.changeHostKey();
      listener.disconnect();
      await ready;
      return sshd.fingerprint();
    },
    kick() {
      note('kick');
      sessions.kick();
    },
    reboot,
    clearTable() {
      note('table-cleared');
      world.clearTable();
    },
    log: (text) => sessions.log(text),
  };

  return {
    kind,
    credentials,
    control,
    url: new URL(`ssh://${host.includes(':') ? `[${host}]` : host}:${listener.port}`),
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await back;
      await listener.stop();
      sshd[Symbol.dispose]();
    },
  };
}

function defined<T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
