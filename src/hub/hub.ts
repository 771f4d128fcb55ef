// The composition root: opens the data directory, builds the context, binds the API, starts the polls; stops in reverse.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectionRoutes } from '#contract/connections.ts';
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
import { firstToken } from './auth/first-token.ts';
import { createAuthorize, type Principal } from './auth/principal.ts';
import { connectionHandlers } from './connections/handlers.ts';
import { recordNeighbours } from './connections/neighbours.ts';
import { hasObserved } from './connections/observer-set.ts';
import type { ConnectionQueries } from './connections/queries.ts';
import { recordObservations } from './connections/record.ts';
import type { Ctx } from './context.ts';
import { healthHandlers, type Readiness } from './health.ts';
import { createReaderPool, type ReaderPoolOptions } from './query/pool.ts';
import { routerHandlers } from './routers/handlers.ts';
import { startPoller } from './routers/poller.ts';
import { createRegistry } from './routers/registry.ts';
import { openDocument, type SettingsDocument } from './settings/document.ts';
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
  /** Resolves when no poll and no write is under way. */
  settled(): Promise<void>;
}

/** Starts the hub. Rejects with a sentence when the data directory or the address cannot be used. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const readiness: Readiness = { ready: false };
  const parts: { ctx?: Ctx; document?: SettingsDocument } = {};
  const served = await listen(options, readiness, parts);
  try {
    const started = await bootstrap(options);
    parts.document = started.ctx.document;
    parts.ctx = started.ctx;
    readiness.ready = true;
    return {
      url: served.url,
      newAdminToken: started.newAdminToken,
      async settled() {
        await started.ctx.poller.settled();
        await started.ctx.db.settled();
      },
      async [Symbol.asyncDispose]() {
        readiness.ready = false;
        await started.ctx.poller[Symbol.asyncDispose]();
        await drain(options, served);
        await started.ctx.reads[Symbol.asyncDispose]();
        await started.ctx.exports[Symbol.asyncDispose]();
        await started.ctx.db.close();
      },
    };
  } catch (error) {
    await served[Symbol.asyncDispose]();
    throw error;
  }
}

function listen(options: HubOptions, readiness: Readiness, parts: { ctx?: Ctx; document?: SettingsDocument }) {
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
      mount(statusRoutes, deferred(statusRoutes, ctx, statusHandlers)),
      mount(routerRoutes, deferred(routerRoutes, ctx, routerHandlers)),
      mount(connectionRoutes, deferred(connectionRoutes, ctx, connections)),
    ],
    authorize: createAuthorize(() => parts.document),
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

async function bootstrap(options: HubOptions): Promise<{ ctx: Ctx; newAdminToken: string | null }> {
  const { dataDir, clock, log } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = options.secretKey ?? secretKey(path.join(dataDir, 'secret.key'));
  const document = openDocument(options.configPath ?? path.join(dataDir, 'monitor.json'), key);
  const newAdminToken = firstToken(document, options.initialAdminToken);
  const file = options.dbPath ?? path.join(dataDir, 'monitor.db');
  migrate(file, fileURLToPath(new URL('./migrations', import.meta.url)));
  const db = new Db(file);
  const allowLoopback = options.allowLoopbackRouters ?? false;
  const registry = createRegistry({ document, clock, allowLoopback });
  const poller = startPoller({
    registry,
    clock,
    log,
    intervalMs: options.pollIntervalMs ?? limits.pollIntervalMs,
    record: (batch) => recordObservations(db, batch),
    recordNeighbours: (neighbours) => recordNeighbours(db, neighbours),
  });
  const warnings = bindWarnings(options);
  for (const warning of warnings) {
    log.warn({}, warning);
  }
  const { version } = options;
  return {
    newAdminToken,
    ctx: {
      clock,
      log,
      db,
      ...createPools(file),
      document,
      registry,
      poller,
      allowLoopback,
      startedAt: clock.now(),
      version,
      warnings,
    },
  };
}

/** A bind beyond loopback without a proxy in front sends tokens in clear text (wire contract 0.3 A10). */
function bindWarnings({ host, trustProxy }: HubOptions): string[] {
  const loopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return loopback || trustProxy?.length
    ? []
    : [`listening on ${host} without TLS: put a TLS proxy in front and name it in MONITOR_TRUST_PROXY`];
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
