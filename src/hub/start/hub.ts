// The hub: listens, starts its features behind the listener, stops them in reverse.
import path from 'node:path';
import type { Access } from '#contract/access.ts';
import type { NotReadyReason } from '#contract/health.ts';
import { type Api, api } from '#contract/index.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import { CallsUnderWay, deferred } from '#kernel/http/deferred.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import type { Rates } from '#kernel/http/rates.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Handlers, RouteTable } from '#kernel/http/route.ts';
import { mount, type Served, startServer } from '#kernel/http/serve.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { auditCall } from '../base/auth/mutation-audit.ts';
import { createAuthorize, identify, identifyAgent, type Principal, requireStill } from '../base/auth/principal.ts';
import type { HubOptions } from '../base/config.ts';
import type { EarlyGroup } from '../base/feature.ts';
import { startReaderPools } from '../base/readers/pools.ts';
import { openDataFolder } from '../base/storage/data-folder.ts';
import { toFileNames } from '../base/storage/file-names.ts';
import type { Features } from './features.ts';
import { frontHandlers } from './front/handlers.ts';
import { healthHandlers } from './health.ts';
import { FeatureRuns, type ServingState } from './run.ts';

export interface Hub extends AsyncDisposable {
  readonly url: URL;
  /** The admin token, when this start created one: it is shown once and never again. */
  readonly newAdminToken: string | null;
  /** The login password, likewise. */
  readonly newPassword: string | null;
  /** Resolves to why it cannot answer reads although it listens; null when it can. */
  notReady(): Promise<NotReadyReason | null>;
  /** Resolves when no poll and no write is under way. */
  settled(): Promise<void>;
}

/** Starts the hub. Rejects with a sentence when the data directory or the address cannot be used; nothing is left then. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const state: ServingState = { isReady: false, calls: new CallsUnderWay() };
  await using opened = new AsyncDisposableStack();
  const pools = opened.use(options.pools ?? startReaderPools(toFileNames(options).databaseFile, options.startsReaders));
  const served = await listen(options, state);
  const drained = opened.adopt(served, (one) => drain(options, one));
  const folder = opened.use(openDataFolder(options));
  const runs = new FeatureRuns(options, { folder, pools, url: served.url, serving: state });
  opened.defer(() => runs.stop(() => drain(options, drained)));
  const { auth } = await runs.start();
  const held = opened.move();
  return {
    url: served.url,
    notReady: () => notReady(state),
    newAdminToken: auth.newAdminToken,
    newPassword: auth.newPassword,
    async settled() {
      // What brings work comes last in the list.
      for (const feature of state.features?.started.toReversed() ?? []) {
        await feature.settled?.();
      }
      await state.features?.base.db.settled();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function notReady({ features }: ServingState): Promise<NotReadyReason | null> {
  for (const feature of features?.started ?? []) {
    const reason = await feature.notReady?.();
    if (reason) {
      return reason;
    }
  }
  return null;
}

function listen(options: HubOptions, state: ServingState): Promise<Served> {
  const auth = () => state.features?.auth;
  return startServer({
    mounted: mountedGroups(state, options),
    ...(options.webFolder ? { assets: path.join(options.webFolder, 'assets') } : {}),
    authorize: createAuthorize(auth),
    confirm: (request, principal) => state.features && requireStill(state.features.auth, request, principal),
    guard: (name) => findGuard(state, name),
    answered: (call) => state.features && auditCall(state.features.auth.audit, call),
    log: options.log,
    host: options.host,
    port: options.port,
    rates: createRates(options, state),
    trustProxy: options.trustProxy ?? [],
    slowMs: options.slowMs ?? limits.slowRequestMs,
    headersMs: options.headersMs ?? limits.headersMs,
    checkReplies: options.checkReplies ?? false,
  });
}

/** The check of this name; throws AppError `not_ready` before there are any. */
function findGuard({ features }: ServingState, name: string): Guard<Principal> | undefined {
  if (!features) {
    throw new AppError('not_ready', 'the hub is still starting: try again in a moment');
  }
  return features.started.flatMap(({ guards }) => guards?.[name] ?? [])[0];
}

/** Every group of the API; the early ones answer at once, the others when the features have started. */
function mountedGroups(state: ServingState, options: HubOptions) {
  const early: Pick<{ [G in keyof Api]: Handlers<Api[G], Principal> }, EarlyGroup> = {
    front: frontHandlers(options.webFolder ?? null),
    health: healthHandlers(async () => (state.isReady ? { reason: await notReady(state) } : null)),
  };
  // A restore answers its own caller.
  const callsToEnd = (group: keyof Api) => (group === 'backup' ? undefined : state.calls);
  const isEarly = (group: keyof Api): group is EarlyGroup => Object.hasOwn(early, group);
  return (Object.keys(api) as (keyof Api)[]).map((group) =>
    mount<RouteTable<Access>, Principal>(
      api[group],
      isEarly(group) ? early[group] : deferred(api[group], () => state.features?.handlers[group], callsToEnd(group)),
    ),
  );
}

/** Reads and writes are counted apart, by address and by credential. */
function createRates({ clock, rate, agents }: HubOptions, state: ServingState): Rates {
  const { reads = limits.readsPerWindow, writes = limits.writesPerWindow, windowMs = limits.rateWindowMs } = rate ?? {};
  const allowance = () => ({
    reads: new FixedWindowLimiter(clock, reads, windowMs, rate?.clients),
    writes: new FixedWindowLimiter(clock, writes, windowMs, rate?.clients),
  });
  return {
    addresses: allowance(),
    credentials: allowance(),
    credentialOf: (request) => (state.features && credentialOf(state.features.auth, request)) ?? null,
    named: {
      ingest: new FixedWindowLimiter(
        clock,
        agents?.perAddress ?? limits.agentIngestPerAddress,
        windowMs,
        rate?.clients,
      ),
    },
  };
}

function credentialOf(auth: Features['auth'], request: RequestFacts): string | null {
  return (identify(auth, request) ?? identifyAgent(auth, request))?.credential ?? null;
}

/** Ends listening; a second call changes nothing. */
async function drain({ clock, log }: HubOptions, served: Served): Promise<void> {
  try {
    await withDeadline(
      clock,
      limits.drainMs,
      () => new Error('requests were still running'),
      undefined,
      () => Promise.resolve(served[Symbol.asyncDispose]()),
    );
  } catch (error) {
    log.warn({ err: error }, 'requests were cut off at the stop');
    served.app.server.closeAllConnections();
  }
}
