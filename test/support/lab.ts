// A whole system for one test: simulated routers, a hub on a temporary directory, a clock that stands still, actors.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { api } from '#contract/index.ts';
import type { HubOptions } from '#hub/base/config.ts';
import { toFileNames } from '#hub/base/storage/file-names.ts';
import { type Hub, startHub } from '#hub/start/hub.ts';
import { createLog } from '#kernel/process/log.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterKind } from '#simulators/router/model.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { type RouterOptions, startRouter } from '#simulators/router/start.ts';
import { type Actors, createActors } from './actors.ts';
import { type EnrichmentData, writeEnrichment } from './enrichment-files.ts';
import { watchLeaks } from './leak-guard.ts';
import { ManualClock } from './manual-clock.ts';
import { writeNewDatabase } from './new-database.ts';
import { makeFolder } from './temporary-folder.ts';
import { startSniffer } from './wire-sniffer.ts';

export interface LabRouterOptions extends RouterOptions {
  kind: RouterKind;
}

type RouterSpec = RouterKind | LabRouterOptions;

export interface LabOptions<R extends string> {
  routers?: Record<R, RouterSpec>;
  hub?: Partial<HubOptions>;
  /** What is known of addresses and network cards; nothing when absent. */
  enrichment?: Partial<EnrichmentData>;
  /** Fields of the router records made for the simulators. */
  records?: Partial<Record<R, Record<string, unknown>>>;
  /** Time of the whole lab; one that begins on 2026-03-01 when absent. */
  clock?: ManualClock;
}

/** A router as `gatehouse-simulators` gives it. */
export interface LabRouter extends RouterSimulator {
  /** The id the hub gave it. */
  readonly id: string;
}

export interface Lab<R extends string> extends AsyncDisposable {
  readonly url: URL;
  readonly clock: ManualClock;
  readonly dataDir: string;
  readonly adminToken: string;
  /** The login password. */
  readonly password: string;
  readonly routers: Record<R, LabRouter>;
  readonly as: Actors;
  /** Moves the clock by one poll interval and waits for what that started. */
  poll(): Promise<void>;
  advance(ms: number): Promise<void>;
  /** As `poll`, but lets virtual time run on in steps while a router is silent, until nothing is under way. */
  pollThroughSilence(): Promise<void>;
  /** Waits for what is under way, with virtual time running on in steps of five seconds. */
  settleThroughSilence(): Promise<void>;
  /** Waits for `work` in the same way. */
  throughSilence<T>(work: Promise<T>): Promise<T>;
  /** Moves the clock far: what waits wakes once, at the end, not at each of its instants in between. */
  skip(ms: number): Promise<void>;
  settled(): Promise<void>;
  /** Ends the hub; `restart` starts another one. */
  stop(): Promise<void>;
  /** Ends the hub and starts it again on the same data, with these options in place of those it had first. */
  restart(changes?: Partial<HubOptions>): Promise<void>;
}

export const pollIntervalMs = 60_000;

/** Real time a router may be busy before five seconds of virtual time pass. */
const silenceStepMs = 600;

/**
 * Starts only what is asked, on free loopback ports. Each router is added through the API and polled once. What is left
 * when it has ended is an error.
 */
export async function startLab<R extends string = never>(options: LabOptions<R> = {}): Promise<Lab<R>> {
  await using opened = new AsyncDisposableStack();
  const clock = options.clock ?? new ManualClock();
  opened.use(watchLeaks({ clock }));
  const dataDir = makeFolder('lab');
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const adminToken = randomBytes(24).toString('hex');
  const password = randomBytes(12).toString('base64url');
  const hubOptions: HubOptions = {
    dataDir,
    host: '127.0.0.1',
    port: 0,
    version: packageVersion(),
    clock,
    log: createLog('hub', 'silent'),
    pollIntervalMs,
    allowLoopbackRouters: true,
    // The simulators answer at once.
    routerSettleMs: 20,
    threatFeeds: false,
    // A lab that moves its clock by half a minute would start a thread for its first backup.
    scheduledBackups: false,
    // Most labs never ask for what the readers answer.
    startsReaders: false,
    initialAdminToken: adminToken,
    initialPassword: password,
    passwordCost: { log2N: 10, r: 8, p: 1 },
    checkReplies: true,
    enrichmentDir: writeEnrichment(dataDir, options.enrichment),
    rate: { reads: 100_000, writes: 100_000, windowMs: 60_000 },
    ...options.hub,
  };
  if (options.hub?.dataDir === undefined && options.hub?.dbPath === undefined) {
    writeNewDatabase(toFileNames(hubOptions).databaseFile);
  }
  const wire = opened.use(startSniffer());
  let hub: Hub = await startHub(hubOptions);
  wire.hub(hub.url);
  let isStopped = false;
  const routers = {} as Record<R, LabRouter>;
  opened.defer(async () => {
    await lab.stop();
    await Promise.all(Object.values<LabRouter>(routers).map((router) => router[Symbol.asyncDispose]()));
  });
  const lab: Lab<R> = {
    get url() {
      return hub.url;
    },
    clock,
    dataDir,
    adminToken,
    password,
    routers,
    get as() {
      return createActors(api, hub.url, adminToken, password);
    },
    settled: () => hub.settled(),
    async advance(ms) {
      await clock.advance(ms);
      await hub.settled();
    },
    poll: () => lab.advance(pollIntervalMs),
    skip(ms) {
      clock.skip(ms - 1);
      return lab.advance(1);
    },
    async pollThroughSilence() {
      await clock.advance(pollIntervalMs);
      await lab.settleThroughSilence();
    },
    settleThroughSilence: () => lab.throughSilence(hub.settled()),
    async throughSilence(work) {
      const over = new AbortController();
      const end = () => over.abort();
      work.then(end, end);
      while (!over.signal.aborted) {
        await systemClock.sleep(silenceStepMs, over.signal).catch(end);
        if (!over.signal.aborted) {
          await clock.advance(5000);
        }
      }
      return work;
    },
    async stop() {
      if (!isStopped) {
        isStopped = true;
        await hub[Symbol.asyncDispose]();
      }
    },
    async restart(changes = {}) {
      await lab.stop();
      hub = await startHub({ ...hubOptions, ...changes });
      wire.hub(hub.url);
      isStopped = false;
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
  for (const [name, spec] of Object.entries<RouterSpec>(options.routers ?? ({} as Record<R, RouterSpec>))) {
    const { kind, ...given } = typeof spec === 'string' ? { kind: spec } : spec;
    const simulator = await startRouter(kind, { clock, ...given });
    const record = recordOf(simulator, name, options.records?.[name as R]);
    const { router } = await lab.as.admin.routers.create({ body: record });
    routers[name as R] = Object.assign(simulator, { id: router.id });
  }
  await lab.settled();
  const whole = opened.move();
  return lab;
}

/** The body that adds a simulated router to a hub. */
export function recordOf(simulator: RouterSimulator, displayName: string, extra: Record<string, unknown> = {}) {
  const { kind, credentials } = simulator;
  return {
    kind,
    displayName,
    ip: simulator.url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(simulator.url.port),
    user: credentials.user,
    pass: credentials.password,
    ...(kind === 'vendor_b' && credentials.enable !== null ? { enablePass: credentials.enable } : {}),
    ...(kind === 'vendor_a' ? { nat: String(simulator.settings.natDescriptor) } : {}),
    ...extra,
  };
}
