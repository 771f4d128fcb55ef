// The state of one simulated router: who may log in, how quick it is, and the world behind it.
import type { Clock } from '#kernel/time/clock.ts';
import { parseChange, pickDefined } from '../support/change.ts';
import { patchSchema } from './control.ts';
import { type Latency, type LatencyName, latencies } from './latency.ts';
import type { Account, Credentials, DeviceSettings, RouterKind } from './model.ts';
import { findProfile, type Profile } from './profiles.ts';
import { maskSecrets } from './secret-places.ts';
import type { HostKind } from './world/hosts.ts';
import type { Timers } from './world/timers.ts';
import type { Destinations, Flow } from './world/traffic.ts';
import { createWorld, type World } from './world/world.ts';

const defaultCredentials: Credentials = {
  user: 'monitor',
  password: 'monitor-password',
  enable: 'enable-password',
  privileged: false,
};

export interface DeviceOptions {
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
  /** Flows that start at their own times, in the order of these. */
  flows?: readonly Flow[];
  destinations?: Partial<Destinations>;
  credentials?: Partial<Credentials>;
  settings?: Partial<DeviceSettings>;
  timers?: Partial<Timers>;
  /** No waits when absent. */
  latency?: LatencyName | Latency;
  /** Offer CBC and SHA-1 only. */
  legacyCrypto?: boolean;
}

export class Device {
  readonly profile: Profile;
  readonly firstLatency: Latency;
  readonly credentials: Credentials;
  /** Who may log in besides the user of `credentials`, by name. */
  readonly accounts = new Map<string, Account>();
  latency: Latency;
  legacyCrypto: boolean;
  world: World;
  readonly #firstCredentials: Credentials;
  readonly #options: DeviceOptions;
  readonly #clock: Clock;
  readonly #onRefused: (reason: 'table' | 'ports') => void;

  /** `onRefused` is called for every flow that the NAT table does not take. */
  constructor(options: DeviceOptions, clock: Clock, onRefused: (reason: 'table' | 'ports') => void) {
    this.#options = options;
    this.#clock = clock;
    this.#onRefused = onRefused;
    this.profile = findProfile(options.kind, options.profile);
    this.firstLatency = typeof options.latency === 'object' ? options.latency : latencies[options.latency ?? 'none'];
    this.#firstCredentials = { ...defaultCredentials, ...options.credentials };
    this.credentials = { ...this.#firstCredentials };
    this.latency = this.firstLatency;
    this.legacyCrypto = options.legacyCrypto ?? false;
    this.world = this.#createWorld();
  }

  get secrets(): readonly string[] {
    const { password, enable } = this.credentials;
    return [password, enable ?? '', ...[...this.accounts.values()].map((account) => account.password)];
  }

  maskSecrets(line: string): string {
    return maskSecrets(line, this.secrets);
  }

  /** Throws, naming the first member that is unknown or invalid. */
  patch(change: Record<string, unknown>): void {
    const { credentials, latency, legacyCrypto, settings, sessions } = parseChange(patchSchema, change);
    Object.assign(this.credentials, credentials);
    this.latency = latency ? latencies[latency] : this.latency;
    this.legacyCrypto = legacyCrypto ?? this.legacyCrypto;
    this.world.configure(pickDefined(settings ?? {}));
    this.world.addSessions(sessions ?? 0);
  }

  reset(): void {
    Object.assign(this.credentials, this.#firstCredentials);
    this.accounts.clear();
    this.latency = this.firstLatency;
    this.legacyCrypto = this.#options.legacyCrypto ?? false;
    this.world = this.#createWorld();
  }

  #createWorld(): World {
    const {
      seed = 1,
      sessions = 0,
      hosts = 12,
      traffic = false,
      flows = [],
      settings = {},
      timers = {},
    } = this.#options;
    return createWorld({
      profile: this.profile,
      clock: this.#clock,
      seed,
      sessions,
      hosts,
      traffic,
      flows,
      credentials: this.credentials,
      accounts: this.accounts,
      settings,
      timers,
      destinations: { threat: '198.51.100.66', ...this.#options.destinations },
      onRefused: this.#onRefused,
    });
  }
}
