// One simulated router: a real SSH server on loopback, a world behind it, and the control surface.

import { toRunning } from '../support/running.ts';
import type { Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import { listTruth, type RouterControl, toTruthEntry } from './control.ts';
import { Device, type DeviceOptions } from './device.ts';
import { type RouterFault, routerFaults } from './faults.ts';
import type { Credentials, RouterKind } from './model.ts';
import { createOwnCommands, type OwnCommands } from './own-commands.ts';
import type { LoginMethod, SshOffer } from './profiles.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { type Listener, startListener } from './ssh/listener.ts';
import type { HostKey } from './ssh/server.ts';
import { createSshd, type Sshd } from './ssh/sshd.ts';
import type { Replay } from './terminal/terminal.ts';
import type { Vendor } from './vendor.ts';
import { vendors } from './vendors.ts';
import { createViolations, type Violations } from './violations.ts';
import { createIncidents, type Incidents } from './world/incidents.ts';

export interface RouterServerOptions extends SimulatorOptions, DeviceOptions {
  replay?: Replay;
  methods?: readonly LoginMethod[];
  /** One of its own when absent. Making one is the slowest part of a start, so replicas share theirs. */
  hostKey?: HostKey;
  /** Userauth banner (`banner login`). */
  loginBanner?: string;
  sessionLimit?: number;
  idleMs?: number;
  loginMs?: number;
  deafMs?: number;
  /** Sessions at once before it is a violation; 2 when absent: a poller and a detection. */
  allowedSessions?: number;
  /** Further commands by their syntax, such as `show inventory`, each with its answer. They count as reading. */
  commands?: OwnCommands;
  /** Another command language than the kind's own. */
  vendor?: Vendor;
  /** Other algorithms and login methods than those of the profile. */
  offer?: SshOffer;
}

export interface RouterSimulator extends RouterControl, Simulator {
  readonly kind: RouterKind;
  readonly credentials: Credentials;
}

type Base = SimulatorBase<RouterFault>;

/** Starts a router of which all is given; `url` is like `ssh://127.0.0.1:2221`. */
export async function startRouterServer(options: RouterServerOptions): Promise<RouterSimulator> {
  const { kind, seed = 1 } = options;
  /** Empty while the device is made: its standing sessions may already be refused, which the journal notes. */
  const made: { device?: Device } = {};
  const base: Base = createSimulatorBase(options, {
    faults: routerFaults,
    secrets: () => made.device?.secrets ?? [],
    apply: (fault, given) => incidents.apply(fault, given),
  });
  const { host, port, clock, faults, journal } = base;
  const note = journal.add;
  const device = new Device(options, clock, createRefusalNote(note));
  made.device = device;
  const { profile, credentials, firstLatency } = device;
  const { vendor = vendors[kind](createOwnCommands(options.commands ?? {})), offer = profile.ssh } = options;
  const commands: string[] = [];
  const violations = createViolations(clock, ({ kind, detail }) => note('violation', { violation: kind, detail }));
  const sessions = createSessions({
    vendor,
    world: () => device.world,
    clock,
    seed,
    latency: () => device.latency,
    faults,
    violations,
    replay: () => options.replay ?? {},
    idleMs: options.idleMs ?? profile.idleMs,
    deafMs: options.deafMs ?? profile.deafMs,
    allowed: options.allowedSessions ?? 2,
    onCommand: (line) => {
      commands.push(device.maskSecrets(line));
      if (!vendor.readOnly(line)) {
        violations.add('not-read-only', device.maskSecrets(line));
      }
      incidents.beforeCommand(faults, line);
    },
    note,
  });
  const sshd = await createSshd({
    offer,
    hostKey: options.hostKey,
    methods: options.methods ?? offer.methods,
    isLegacy: () => device.legacyCrypto,
    banner: options.loginBanner ?? null,
    credentials: () => credentials,
    accounts: () => device.accounts,
    loginMs: options.loginMs ?? profile.loginMs,
    clock,
    faults,
    violations,
    shell: sessions.open,
    note,
  });
  const sessionLimit = () => options.sessionLimit ?? profile.sessionLimit;
  const onConnection = sshd.accept;
  const { acceptMs } = firstLatency;
  const listener = await startListener({
    host,
    port,
    clock,
    faults,
    credentials,
    acceptMs,
    sessionLimit,
    onConnection,
    note,
  });
  const power = createPower(base, device, listener);
  const incidents = createIncidents({
    world: () => device.world,
    changeHostKey: () => {
      const { undo } = sshd.changeHostKey();
      listener.disconnect();
      return () => {
        undo();
        listener.disconnect();
      };
    },
    reboot: (offMs) => void power.reboot(offMs),
  });
  const parts = { base, kind, device, commands, violations, sessions, sshd, listener, incidents, reboot: power.reboot };
  return toRunning(createControl(parts), {
    kind,
    credentials,
    url: new URL(`ssh://${host.includes(':') ? `[${host}]` : host}:${listener.port}`),
    async [Symbol.asyncDispose]() {
      base.stop();
      await power.settled();
      await listener.stop();
      sshd[Symbol.dispose]();
    },
  });
}

/** A full table refuses thousands of flows: the journal gets one entry in a thousand. */
function createRefusalNote(note: Base['journal']['add']) {
  let refused = 0;
  return (reason: 'table' | 'ports') => {
    if (refused % 1000 === 0) {
      note('flow-refused', { reason });
    }
    refused += 1;
  };
}

function createPower({ clock, journal, stopped }: Base, device: Device, listener: Listener) {
  let back: Promise<void> = Promise.resolve();
  return {
    /** Loses what is volatile and listens again after `offMs`; resolves when the router is down. */
    async reboot(offMs = 60_000): Promise<void> {
      journal.add('reboot', { offMs });
      device.world.reboot(clock.now() + offMs);
      back = clock.sleep(offMs, stopped).then(
        () => listener.start(),
        () => undefined,
      );
      await listener.stop();
    },
    /** Resolves when the router is up again, or stopped. */
    settled: () => back,
  };
}

interface ControlParts {
  base: Base;
  kind: RouterKind;
  device: Device;
  commands: string[];
  violations: Violations;
  sessions: Sessions;
  sshd: Sshd;
  listener: Listener;
  incidents: Incidents;
  reboot: (offMs?: number) => Promise<void>;
}

function createControl(parts: ControlParts): RouterControl {
  const { base, kind, device, commands, violations, sessions, sshd, listener, incidents } = parts;
  const { faults, journal } = base;
  const control: RouterControl = {
    ...base.control,
    violations: violations.list,
    commands,
    get hostKey() {
      return sshd.fingerprint();
    },
    get settings() {
      return device.world.settings;
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
    clearFaults() {
      faults.clear();
      incidents.undo();
    },
    reset() {
      control.clearFaults();
      listener.disconnect();
      device.reset();
      violations.clear();
      control.clearJournal();
    },
    state: () => ({
      kind,
      latency: device.latency,
      legacyCrypto: device.legacyCrypto,
      user: device.credentials.user,
      settings: { ...device.world.settings },
      sessions: device.world.nat().length,
      refused: device.world.refused(),
      sessionsOpen: sessions.size(),
      connections: listener.count,
      hostKey: sshd.fingerprint(),
      faults: faults.list(),
      violations: violations.list.length,
    }),
    patch: (change) => device.patch(change),
    flow(request) {
      const { world } = device;
      const entry = world.flow(request);
      return entry && { entry: toTruthEntry(world, entry), end: (how) => world.endFlow(entry, how) };
    },
    hosts: () => device.world.lanHosts(),
    join: (kind) => device.world.join(kind),
    truth: () => listTruth(device.world),
    async rotateHostKey() {
      const { ready } = sshd.changeHostKey();
      listener.disconnect();
      await ready;
      return sshd.fingerprint();
    },
    kick() {
      journal.add('kick');
      sessions.kick();
    },
    reboot: parts.reboot,
    clearTable() {
      journal.add('table-cleared');
      device.world.clearTable();
    },
    log: sessions.log,
  };
  return control;
}
