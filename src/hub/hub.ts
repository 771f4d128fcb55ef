// The composition root: opens the data directory, builds the context, binds the API, starts the polls; stops in reverse.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { authRoutes } from '#contract/auth.ts';
import { connectionRoutes } from '#contract/connections.ts';
import { eventRoutes } from '#contract/events.ts';
import { healthRoutes } from '#contract/health.ts';
import { limits } from '#contract/limits.ts';
import { routerRoutes } from '#contract/routers.ts';
import { statusRoutes } from '#contract/status.ts';
import { type Clock, withDeadline } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { deferred } from '#kernel/http/deferred.ts';
import { mount, type Served, startServer } from '#kernel/http/serve.ts';
import { RateWindow } from '#kernel/limiter.ts';
import type { Log } from '#kernel/log.ts';
import { Db, migrate } from '#kernel/sqlite.ts';
import { startAuth } from './auth/auth.ts';
import { authHandlers } from './auth/handlers.ts';
import { auditMutation } from './auth/mutation-audit.ts';
import type { PasswordCost } from './auth/password.ts';
import { createAuthorize, identify, type Principal, requireOwnPage } from './auth/principal.ts';
import { createChangedConnections } from './connections/changed-connections.ts';
import { connectionHandlers } from './connections/handlers.ts';
import { recordNeighbours } from './connections/neighbours.ts';
import { hasObserved } from './connections/observer-set.ts';
import type { ConnectionQueries } from './connections/queries.ts';
import { recordObservations } from './connections/record.ts';
import type { Ctx } from './context.ts';
import { healthHandlers, type Readiness } from './health.ts';
import { liveHandlers } from './live/handlers.ts';
import { type Live, startLive } from './live/live.ts';
import { createRoutersFeed } from './live/routers-feed.ts';
import { createReaderPool, type ReaderPoolOptions } from './query/pool.ts';
import { routerHandlers } from './routers/handlers.ts';
import { type PollerOptions, startPoller } from './routers/poller.ts';
import { publicRouter } from './routers/public-router.ts';
import { createRegistry } from './routers/registry.ts';
import { openDocument } from './settings/document.ts';
import { secretKey } from './settings/secret-key.ts';
import { statusHandlers } from './status/handlers.ts';

export interface HubOptions {
  /** Folder of monitor.db and monitor.json; made when absent. */
  dataDir: string;
  configPath?: string | undefined;
  dbPath?: string | undefined;
  host: string;
  port: number;
  version: string;
  clock: Clock;
  log: Log;
  pollIntervalMs?: number;
  allowLoopbackRouters?: boolean;
  /** Sets the admin token of a first start; 16 to 512 characters. */
  initialAdminToken?: string | undefined;
  /** Sets the login password of a first start; 14 to 256 characters. */
  initialPassword?: string | undefined;
  /** Cost of password hashes; tests make it cheap. */
  passwordCost?: PasswordCost;
  /** Where browsers reach the hub, with its sub-path; on a loopback listener without proxy its own address when absent. */
  publicUrl?: URL | undefined;
  alwaysSecureCookies?: boolean;
  sessionTtlDays?: number;
  /** Hex key of stored secrets; else `secret.key` in the data folder. */
  secretKey?: string | undefined;
  trustProxy?: readonly string[];
  rate?: { reads: number; writes: number; windowMs: number };
  slowMs?: number;
  checkReplies?: boolean;
}

export interface Hub extends AsyncDisposable {
  readonly url: URL;
  /** The admin token, when this start made one: it is shown once and never again. */
  readonly newAdminToken: string | null;
  /** The login password, likewise. */
  readonly newPassword: string | null;
  /** Resolves when no poll and no write is under way. */
  settled(): Promise<void>;
}

/** Starts the hub. Rejects with a sentence when the data directory or the address cannot be used. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const readiness: Readiness = { ready: false };
  const parts: { ctx?: Ctx } = {};
  const opened = new AsyncDisposableStack();
  const served = await listen(options, readiness, parts);
  try {
    const ctx = await bootstrap(options, served.url, opened);
    parts.ctx = ctx;
    readiness.ready = true;
    return {
      url: served.url,
      newAdminToken: ctx.auth.newAdminToken,
      newPassword: ctx.auth.newPassword,
      async settled() {
        await ctx.poller.settled();
        await ctx.db.settled();
      },
      async [Symbol.asyncDispose]() {
        readiness.ready = false;
        await ctx.poller[Symbol.asyncDispose]();
        await ctx.live[Symbol.asyncDispose]();
        await drain(options, served);
        await opened.disposeAsync();
      },
    };
  } catch (error) {
    await served[Symbol.asyncDispose]();
    await opened.disposeAsync();
    throw error;
  }
}

function listen(options: HubOptions, readiness: Readiness, parts: { ctx?: Ctx }) {
  const { clock, rate } = options;
  const { reads, writes, windowMs } = rate ?? {
    reads: limits.readsPerWindow,
    writes: limits.writesPerWindow,
    windowMs: limits.rateWindowMs,
  };
  const ctx = () => parts.ctx;
  return startServer({
    mounted: [
      mount(healthRoutes, healthHandlers(readiness)),
      mount(authRoutes, deferred(authRoutes, ctx, authHandlers)),
      mount(statusRoutes, deferred(statusRoutes, ctx, statusHandlers)),
      mount(routerRoutes, deferred(routerRoutes, ctx, routerHandlers)),
      mount(connectionRoutes, deferred(connectionRoutes, ctx, connections)),
      mount(eventRoutes, deferred(eventRoutes, ctx, liveHandlers)),
    ],
    authorize: createAuthorize(() => parts.ctx?.auth),
    answered: (call) => parts.ctx && auditMutation(parts.ctx.auth.audit, call),
    log: options.log,
    host: options.host,
    port: options.port,
    rate: { reads: new RateWindow(clock, reads, windowMs), writes: new RateWindow(clock, writes, windowMs) },
    trustProxy: options.trustProxy ?? [],
    slowMs: options.slowMs ?? limits.slowRequestMs,
    checkReplies: options.checkReplies ?? false,
  });
}

function connections({ db, clock, registry, reads, exports }: Ctx) {
  return connectionHandlers<Principal>({
    reads,
    exports,
    clock,
    hasRouter: (id) => registry.list().some((router) => router.id === id),
    hasObserved: (kind, id) => hasObserved(db, kind, id),
  });
}

/** Threads for the answers of the API, and others for exports, which last as long as their clients read. */
function createPools(file: string) {
  const module = new URL('./connections/queries.ts', import.meta.url).href;
  const retry = { headers: { 'Retry-After': '1' } };
  const pool = (options: Omit<ReaderPoolOptions, 'file' | 'module' | 'cacheKb'>) =>
    createReaderPool<ConnectionQueries>({ file, module, cacheKb: 16_384, ...options });
  return {
    reads: pool({
      size: limits.readerThreads,
      maxWaiting: limits.readersWaiting,
      refusal: () => new AppError('busy', 'too many queries are waiting: try again in a moment', retry),
    }),
    exports: pool({
      size: limits.exportsAtOnce,
      maxWaiting: 0,
      refusal: () => new AppError('rate_limited', 'two exports are running: try again when one has ended', retry),
      endsIdle: true,
    }),
  };
}

/** What it opens goes on `opened`, to be closed in reverse, also when a later step fails. */
async function bootstrap(options: HubOptions, url: URL, opened: AsyncDisposableStack): Promise<Ctx> {
  const { dataDir, clock, log } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = options.secretKey ?? secretKey(path.join(dataDir, 'secret.key'));
  const document = openDocument(options.configPath ?? path.join(dataDir, 'monitor.json'), key);
  const file = options.dbPath ?? path.join(dataDir, 'monitor.db');
  migrate(file, fileURLToPath(new URL('./migrations', import.meta.url)));
  const db = opened.adopt(new Db(file), (open) => open.close());
  const isProxied = (options.trustProxy ?? []).length > 0;
  const auth = opened.use(
    await startAuth({
      document,
      db,
      clock,
      log,
      initialAdminToken: options.initialAdminToken,
      initialPassword: options.initialPassword,
      passwordCost: options.passwordCost,
      sessionTtlDays: options.sessionTtlDays ?? limits.sessionTtlDays,
      alwaysSecureCookies: options.alwaysSecureCookies ?? false,
      publicUrl: options.publicUrl ?? (isLoopbackHost(options.host) && !isProxied ? url : null),
      trustedProxyConfigured: isProxied,
    }),
  );
  const allowLoopback = options.allowLoopbackRouters ?? false;
  const registry = createRegistry({ document, clock, allowLoopback });
  const live = opened.use(
    startLive({
      clock,
      log,
      revocations: auth.revocations,
      identify: (request) => identify(auth, request),
      requireOwnPage: (request, holder) => requireOwnPage(auth, request, holder),
    }),
  );
  const routersFeed = createRoutersFeed(live, (withUser) =>
    registry.list().map((record) => publicRouter(record, poller.status(record.id), withUser)),
  );
  const poller = startPoller({
    registry,
    clock,
    log,
    intervalMs: options.pollIntervalMs ?? limits.pollIntervalMs,
    record: recordAndTell(db, clock, live),
    recordNeighbours: (neighbours) => recordNeighbours(db, neighbours),
    onStatus: routersFeed,
  });
  const warnings = bindWarnings(options);
  for (const warning of warnings) {
    log.warn({}, warning);
  }
  const { version } = options;
  const pools = createPools(file);
  opened.use(pools.reads);
  opened.use(pools.exports);
  return {
    clock,
    log,
    db,
    auth,
    live,
    ...pools,
    document,
    registry,
    poller,
    allowLoopback,
    startedAt: clock.now(),
    version,
    warnings,
  };
}

/** Records a poll, then publishes what it changed. */
function recordAndTell(db: Db, clock: Clock, live: Live): PollerOptions['record'] {
  return async (batch) => {
    const changed = createChangedConnections(limits.liveConnections);
    const recorded = await recordObservations(db, { ...batch, onChanged: changed.note });
    const connections = await changed.read(db);
    if (connections.length > 0) {
      const truncated = changed.count() > connections.length;
      live.publish('connections-update', { connections, serverTime: clock.now(), partial: true, truncated });
    }
    return recorded;
  };
}

/** A bind beyond loopback without a proxy in front sends tokens in clear text (wire contract 0.3 A10). */
function bindWarnings({ host, trustProxy }: HubOptions): string[] {
  return isLoopbackHost(host) || trustProxy?.length
    ? []
    : [`listening on ${host} without TLS: put a TLS proxy in front and name it in MONITOR_TRUST_PROXY`];
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
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
