// The composition root: listens, builds the context behind the listener, binds the API; stops in reverse.
import { authRoutes } from '#contract/auth.ts';
import { beaconRoutes } from '#contract/beacons.ts';
import { chatRoutes } from '#contract/chat.ts';
import { configRoutes } from '#contract/config.ts';
import { connectionRoutes } from '#contract/connections.ts';
import { detectionRoutes } from '#contract/detection.ts';
import { deviceRoutes, noteRoutes } from '#contract/devices.ts';
import { eventRoutes } from '#contract/events.ts';
import { frontRoutes } from '#contract/front.ts';
import { healthRoutes, type NotReadyReason } from '#contract/health.ts';
import { limits } from '#contract/limits.ts';
import { meshRoutes } from '#contract/mesh.ts';
import { routerRoutes } from '#contract/routers.ts';
import { statusRoutes } from '#contract/status.ts';
import { threatRoutes } from '#contract/threat.ts';
import { withChanges } from '#kernel/changes.ts';
import { withDeadline } from '#kernel/clock.ts';
import { deferred } from '#kernel/http/deferred.ts';
import type { Handlers } from '#kernel/http/route.ts';
import { mount, type Served, startServer } from '#kernel/http/serve.ts';
import { RateWindow } from '#kernel/limiter.ts';
import { authHandlers } from './auth/handlers.ts';
import { auditCall } from './auth/mutation-audit.ts';
import { createAuthorize, identify, type Principal, requireStill } from './auth/principal.ts';
import { beaconHandlers } from './beacons/handlers.ts';
import { bootstrap } from './bootstrap.ts';
import { chatHandlers } from './chat/handlers.ts';
import { connectionHandlers } from './connections/handlers.ts';
import { hasObserved } from './connections/store/observer-set.ts';
import type { Ctx } from './context.ts';
import { dataSourceHandlers } from './data-sources/handlers.ts';
import { detectionHandlers } from './detection/handlers.ts';
import { deviceHandlers } from './devices/handlers.ts';
import { lookUpHandlers } from './enrichment/remote/handlers.ts';
import { frontHandlers } from './front/front-page.ts';
import { healthHandlers, type Readiness } from './health.ts';
import { liveHandlers } from './live/handlers.ts';
import { meshHandlers } from './mesh/handlers.ts';
import { writeLocally } from './notes/draft.ts';
import { noteHandlers } from './notes/handlers.ts';
import type { HubOptions } from './options.ts';
import { startReaderPools } from './readers/pools.ts';
import { routerHandlers } from './routers/handlers.ts';
import { generalHandlers } from './settings/handlers.ts';
import { statusHandlers } from './status/handlers.ts';
import { fileNames } from './storage/file-names.ts';
import { threatHandlers } from './threat/handlers.ts';
import { judgedBy } from './threat/judged.ts';

export interface Hub extends AsyncDisposable {
  readonly url: URL;
  /** The admin token, when this start made one: it is shown once and never again. */
  readonly newAdminToken: string | null;
  /** The login password, likewise. */
  readonly newPassword: string | null;
  /** Resolves to why it cannot answer reads although it listens; null when it can. */
  notReady(): Promise<NotReadyReason | null>;
  /** Resolves when no poll and no write is under way. */
  settled(): Promise<void>;
}

/** Starts the hub. Rejects with a sentence when the data directory or the address cannot be used. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const readiness: Readiness = { ready: false };
  const parts: { ctx?: Ctx } = {};
  const opened = new AsyncDisposableStack();
  const pools = opened.use(options.pools ?? startReaderPools(fileNames(options).databaseFile, options.startsReaders));
  const inputs = new AsyncDisposableStack();
  const served = await listen(options, readiness, parts).catch(async (error: unknown) => {
    await opened.disposeAsync();
    throw error;
  });
  try {
    const ctx = await bootstrap(options, served.url, { opened, inputs, pools });
    parts.ctx = ctx;
    readiness.reason = ctx.notReady;
    readiness.ready = true;
    return {
      url: served.url,
      notReady: ctx.notReady,
      newAdminToken: ctx.auth.newAdminToken,
      newPassword: ctx.auth.newPassword,
      async settled() {
        await ctx.poller.settled();
        await ctx.mesh.settled();
        await ctx.enrichment.described;
        await ctx.lookUps.settled();
        await ctx.threat.settled();
        await ctx.db.settled();
        await ctx.beacons.scans.settled();
        await ctx.chat.delivery.settled();
      },
      async [Symbol.asyncDispose]() {
        readiness.ready = false;
        ctx.db.hurry();
        await inputs.disposeAsync();
        await drain(options, served);
        await opened.disposeAsync();
      },
    };
  } catch (error) {
    await inputs.disposeAsync();
    await served[Symbol.asyncDispose]();
    await opened.disposeAsync();
    throw error;
  }
}

function listen(options: HubOptions, readiness: Readiness, parts: { ctx?: Ctx }) {
  const { clock, rate } = options;
  const { reads, writes, windowMs, clients } = rate ?? {
    reads: limits.readsPerWindow,
    writes: limits.writesPerWindow,
    windowMs: limits.rateWindowMs,
    clients: undefined,
  };
  const ctx = () => parts.ctx;
  const allowance = () => ({
    reads: new RateWindow(clock, reads, windowMs, clients),
    writes: new RateWindow(clock, writes, windowMs, clients),
  });
  return startServer({
    mounted: [
      mount(frontRoutes, frontHandlers()),
      mount(healthRoutes, healthHandlers(readiness)),
      mount(authRoutes, deferred(authRoutes, ctx, authHandlers)),
      mount(statusRoutes, deferred(statusRoutes, ctx, statusHandlers)),
      mount(routerRoutes, deferred(routerRoutes, ctx, routerHandlers)),
      mount(connectionRoutes, deferred(connectionRoutes, ctx, connections)),
      mount(detectionRoutes, deferred(detectionRoutes, ctx, detection)),
      mount(beaconRoutes, deferred(beaconRoutes, ctx, beacons)),
      mount(chatRoutes, deferred(chatRoutes, ctx, chat)),
      mount(configRoutes, deferred(configRoutes, ctx, configHandlers)),
      mount(threatRoutes, deferred(threatRoutes, ctx, threatHandlers<Principal>)),
      mount(deviceRoutes, deferred(deviceRoutes, ctx, devices)),
      mount(noteRoutes, deferred(noteRoutes, ctx, notes)),
      mount(meshRoutes, deferred(meshRoutes, ctx, meshHandlers<Principal>)),
      mount(eventRoutes, deferred(eventRoutes, ctx, liveHandlers)),
    ],
    authorize: createAuthorize(() => parts.ctx?.auth),
    confirm: (request, principal) => parts.ctx && requireStill(parts.ctx.auth, request, principal),
    answered: (call) => parts.ctx && auditCall(parts.ctx.auth.audit, call),
    log: options.log,
    host: options.host,
    port: options.port,
    rates: {
      addresses: allowance(),
      credentials: allowance(),
      credentialOf: (request) => (parts.ctx && identify(parts.ctx.auth, request)?.credential) ?? null,
    },
    trustProxy: options.trustProxy ?? [],
    slowMs: options.slowMs ?? limits.slowRequestMs,
    headersMs: options.headersMs ?? limits.headersMs,
    checkReplies: options.checkReplies ?? false,
  });
}

function configHandlers(ctx: Ctx): Handlers<typeof configRoutes, Principal> {
  const { document, dataSources, logPathPrefixes, lookUps, allowLoopback } = ctx;
  return {
    ...generalHandlers(document),
    ...dataSourceHandlers({ document, dataSources, pathPrefixes: logPathPrefixes }),
    ...lookUpHandlers({ document, lookUps, allowLoopback }),
  };
}

function connections({ db, clock, registry, reads, summaries, exports, threat }: Ctx) {
  return connectionHandlers<Principal>({
    reads,
    summaries,
    exports,
    clock,
    hasRouter: (id) => registry.list().some((router) => router.id === id),
    hasObserved: (kind, id) => hasObserved(db, kind, id),
    judged: () => judgedBy(threat.state()),
  });
}

function detection({ db, clock, registry, reads, document }: Ctx) {
  return detectionHandlers<Principal>({
    reads,
    clock,
    isKnownSource: (kind, id) =>
      hasObserved(db, kind, id) || (kind === 'router' && registry.list().some((router) => router.id === id)),
    settings: () => document.current().detection,
    save: (config) => document.update((settings) => ({ ...settings, detection: config })).detection,
  });
}

function beacons({ clock, beacons: { store, scans }, document }: Ctx) {
  return beaconHandlers<Principal>({
    clock,
    store,
    scans,
    settings: () => document.current().beacons,
    save: (config) => document.update((settings) => ({ ...settings, beacons: config })).beacons,
  });
}

function chat({ clock, chat: { workspace, outbox, delivery }, document }: Ctx) {
  return chatHandlers<Principal>({
    clock,
    workspace,
    outbox,
    delivery,
    settings: () => document.current().chat,
    save: (changes) => document.update((settings) => ({ ...settings, chat: withChanges(settings.chat, changes) })).chat,
  });
}

function devices({ devices: all, reads, clock, notes: kept, registry, db }: Ctx) {
  return deviceHandlers<Principal>({
    devices: all,
    reads,
    clock,
    notes: () => kept.all(),
    hasObserver: (kind, id) =>
      hasObserved(db, kind, id) || (kind === 'router' && registry.list().some((router) => router.id === id)),
  });
}

function notes({ notes: kept, notesFeed, reads }: Ctx) {
  return noteHandlers<Principal>({ notes: kept, onWritten: notesFeed, reads, writeDraft: writeLocally });
}

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
