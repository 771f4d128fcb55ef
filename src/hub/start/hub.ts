// Starts the HTTP server, then the features that it serves. Stops the inputs first, then the server, then the other features.
import path from 'node:path';
import type { Access } from '#contract/access.ts';
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
import { createAuthorize, identify, identifyAgent, type Principal, requireStillValid } from '../base/auth/principal.ts';
import type { HubOptions } from '../base/config.ts';
import type { EarlyGroup } from '../base/feature.ts';
import { startReaderPools } from '../base/readers/pools.ts';
import { openDataFolder } from '../base/storage/data-folder.ts';
import { toFileNames } from '../base/storage/file-names.ts';
import type { Features } from './features.ts';
import { createLostPage, frontHandlers, loadPage, type PageAt } from './front/handlers.ts';
import { findNotReadyReason, healthHandlers } from './health.ts';
import { FeatureRuns, type ServingState } from './run.ts';

export type Hub = Awaited<ReturnType<typeof startHub>>;

/** When the data directory or the address cannot be used, closes all it opened and rejects with an Error that says why. */
export async function startHub(options: HubOptions) {
  const state: ServingState = { isReady: false, calls: new CallsUnderWay() };
  await using resources = new AsyncDisposableStack();
  const pools = resources.use(
    options.pools ?? startReaderPools(toFileNames(options).databaseFile, options.startsReaders),
  );
  const served = resources.adopt(await listen(options, state), (one) => drain(options, one));
  const folder = resources.use(openDataFolder(options));
  const runs = new FeatureRuns(options, { folder, pools, url: served.url, serving: state });
  resources.defer(() => runs.stop(() => drain(options, served)));
  const { auth } = await runs.start();
  const untilStop = resources.move();
  return {
    url: served.url,
    /** Resolves to why the hub cannot answer reads although it listens; null when it can. */
    notReady: () => findNotReadyReason(state.features?.started ?? []),
    /** The admin token, when this start created one: it is shown once and never again. */
    newAdminToken: auth.newAdminToken,
    /** The login password, when this start created one: it is shown once and never again. */
    newPassword: auth.newPassword,
    /** Resolves when no feature has work in progress and the database has written everything. */
    async settled() {
      // Features that give work to others, such as polls, start last: wait for them first.
      for (const feature of state.features?.started.toReversed() ?? []) {
        await feature.settled?.();
      }
      await state.features?.base.db.settled();
    },
    [Symbol.asyncDispose]: () => untilStop.disposeAsync(),
  };
}

function listen(options: HubOptions, state: ServingState): Promise<Served> {
  const auth = () => state.features?.auth;
  const pageAt = options.webFolder ? loadPage(options.webFolder) : null;
  return startServer({
    mounted: mountGroups(state, pageAt),
    ...(options.webFolder && { assets: path.join(options.webFolder, 'assets') }),
    ...(pageAt && { lostPage: createLostPage(pageAt) }),
    authorize: createAuthorize(auth),
    confirmCredential: (request, principal) =>
      state.features && requireStillValid(state.features.auth, request, principal),
    guard: (name) => findGuard(state, name),
    beforeAnswer: (call) => state.features && auditCall(state.features.auth.audit, call),
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

/** Throws AppError `not_ready` until the features have started, since they bring the guards. */
function findGuard({ features }: ServingState, name: string): Guard<Principal> | undefined {
  if (!features) {
    throw new AppError('not_ready', 'the hub is still starting: try again in a moment');
  }
  return features.started.flatMap(({ guards }) => guards?.[name] ?? [])[0];
}

/** Mounts every group of the API: `early` ones answer at once, the others once the features have started. */
function mountGroups(state: ServingState, pageAt: PageAt | null) {
  const early: Pick<{ [G in keyof Api]: Handlers<Api[G], Principal> }, EarlyGroup> = {
    front: frontHandlers(pageAt),
    health: healthHandlers(async () =>
      state.isReady ? { reason: await findNotReadyReason(state.features?.started ?? []) } : null,
    ),
  };
  // A restore ends all calls in progress, but its own caller must still get the answer.
  const endableCalls = (group: keyof Api) => (group === 'backup' ? undefined : state.calls);
  const isEarly = (group: keyof Api): group is EarlyGroup => Object.hasOwn(early, group);
  return (Object.keys(api) as (keyof Api)[]).map((group) =>
    mount<RouteTable<Access>, Principal>(
      api[group],
      isEarly(group) ? early[group] : deferred(api[group], () => state.features?.handlers[group], endableCalls(group)),
    ),
  );
}

/** Counts reads and writes separately: by credential, or by address when a request has none. */
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
    byAllowance: {
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

/** Stops listening and waits `limits.drainMs` at most for running requests. A second call does nothing. */
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
    log.warn({ err: error }, 'the hub stopped while requests were running: their connections were closed');
    served.app.server.closeAllConnections();
  }
}
