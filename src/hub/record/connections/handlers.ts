// Handlers of the connection routes: they check the query and ask reader threads for the answer.
import type { Judged } from '#contract/connection-reports.ts';
import {
  type ConnectionFilter,
  type ConnectionListQuery,
  connectionFilters,
  type connectionRoutes,
} from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { decodeJson, readyJson, withMembers } from '#kernel/http/ready-body.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { CoverageFeature, Scope } from '../coverage/feature.ts';
import { type DetailPeers, toDetail } from './detail/answer.ts';
import { answerExport } from './export/answer.ts';
import type { History } from './history/history.ts';
import type { ConnectionQueries } from './queries.ts';
import { type Order, parseCursor } from './query/order.ts';
import type { Observers } from './store/observer-set.ts';
import { createAnswerCache } from './summary/answer-cache.ts';
import type { SummaryQueries } from './summary/queries.ts';

export interface ConnectionHandlersOptions {
  reads: Pick<ReaderPool<ConnectionQueries>, 'ask' | 'askGzipped'>;
  /** Summaries are answered by a thread that keeps flows in memory. */
  summaries: Pick<ReaderPool<SummaryQueries>, 'ask'>;
  /** Exports take long: they have threads of their own. */
  exports: Pick<ReaderPool<ConnectionQueries>, 'stream'>;
  clock: Clock;
  observers: Observers;
  /** How much of the threat feeds judges the log now. */
  judged: () => Judged;
  /** How much of a scope was observed. */
  measureCoverage: CoverageFeature['measure'];
  /** Answers windows that begin before the oldest hour that the hub keeps. */
  history?: Pick<History, 'summary' | 'threatCounts'> | undefined;
  /** Calls the listener whenever parts of the log were erased. */
  onErased?: (listener: () => void) => void;
  /** What other features know of one connection. */
  detailPeers: DetailPeers;
}

export function createConnectionHandlers<P>(options: ConnectionHandlersOptions): Handlers<typeof connectionRoutes, P> {
  const { reads, clock } = options;
  const summaries = createAnswerCache(clock, limits.summaryCacheMs, limits.summaryCacheKeys);
  options.onErased?.(summaries.forget);
  return {
    list: ({ query, signal }) => {
      checkScope(options, query);
      const { limit, after, include, sort = 'lastSeen', sortDir = 'desc' } = query;
      checkCursor({ sort, sortDir }, query);
      const all = { filter: toFilter(query), sort, sortDir, include, now: clock.now() };
      if (limit === undefined) {
        return reads.askGzipped('listAll', all, signal);
      }
      const offset = Math.min(query.offset ?? 0, Number.MAX_SAFE_INTEGER);
      return reads.ask('list', { ...all, limit: Math.min(limit, limits.connectionsPage), offset, after }, signal);
    },
    memory: async ({ signal }) => {
      const { bytes } = await reads.ask('size', null, signal);
      const { rss: rssBytes, heapUsed: heapUsedBytes, heapTotal: heapTotalBytes } = process.memoryUsage();
      const hot = decodeJson(await options.summaries.ask('cachedFlows', undefined, signal));
      const memory = { rssBytes, heapUsedBytes, heapTotalBytes, hotMaxEntries: limits.hotEntries };
      return readyJson(withMembers(bytes, { ...hot, ...memory, serverTime: clock.now() }));
    },
    summary: async ({ query, signal }) => {
      checkScope(options, query);
      const { src = [], target, country, buckets: asked = limits.summaryBucketsDefault } = query;
      const buckets = Math.min(Math.max(asked, 1), limits.summaryBuckets);
      const params = { filter: toFilter(query), src, target, country, buckets };
      const { value, at, isCached } = await summaries.get(JSON.stringify(params), async () => {
        const long = (await options.history?.summary(params, signal)) ?? null;
        if (long?.answer) {
          return Buffer.from(JSON.stringify({ ...long.answer, longRange: long.longRange }));
        }
        const { bytes } = await options.summaries.ask('summary', { ...params, now: clock.now() }, signal);
        return long === null ? bytes : withMembers(bytes, { longRange: long.longRange });
      });
      const completeness = await readCompleteness(options, query, signal);
      return readyJson(withMembers(value, { ...completeness, serverTime: at, cached: isCached }));
    },
    values: ({ query, signal }) => {
      checkScope(options, query);
      return reads.ask('values', { filter: toFilter(query), column: query.column, now: clock.now() }, signal);
    },
    newNodes: ({ query: { from, to }, signal }) => reads.ask('newNodes', { from, to, now: clock.now() }, signal),
    threatConnections: async ({ query, signal }) => {
      checkScope(options, query);
      const { confidence = 'all', limit = limits.threatConnectionsDefault } = query;
      const shown = Math.min(limit, limits.threatConnections);
      const params = { filter: toFilter(query), confidence, limit: shown, now: clock.now() };
      const { bytes } = await reads.ask('threatConnections', params, signal);
      return readyJson(withMembers(bytes, await readCompleteness(options, query, signal)));
    },
    async threatCounts({ query, signal }) {
      checkScope(options, query);
      const long = (await options.history?.threatCounts(toFilter(query), signal)) ?? null;
      const { bytes } = long?.answer
        ? { bytes: Buffer.from(JSON.stringify({ ...long.answer, serverTime: clock.now() })) }
        : await reads.ask('threatCounts', { filter: query, now: clock.now() }, signal);
      const longRange = long === null ? {} : { longRange: long.longRange };
      return readyJson(withMembers(bytes, { ...longRange, ...(await readCompleteness(options, query, signal)) }));
    },
    async detail({ params: { id }, signal }) {
      const stored = decodeJson(await reads.ask('detail', id, signal));
      if (stored === null) {
        throw new AppError('not_found', 'the log has no such connection: GET /api/connections lists them');
      }
      const { firstSeen: from, lastSeen: to } = stored.connection;
      const limits = await readCompleteness(options, { from, to }, signal);
      return { ...toDetail(stored, options.detailPeers), ...limits, serverTime: clock.now() };
    },
    export: ({ query, signal }) => {
      checkScope(options, query);
      const now = clock.now();
      const filter = toFilter(query);
      const { from = 0, to = now } = filter;
      if (to < from) {
        throw refuseField('invalid_query', 'to', 'is before from', 'before_start');
      }
      const { format, anonymise } = query;
      const params = { filter: { ...filter, to }, format, anonymise: anonymise === '1', from, to };
      return answerExport(options, params, now, signal);
    },
  };
}

/** Reads what limits a total: whether feeds judged it, and how much of its window was observed. */
async function readCompleteness(options: ConnectionHandlersOptions, scope: Scope, signal: AbortSignal) {
  return { ...options.judged(), coverage: await options.measureCoverage(scope, signal) };
}

/** Selects the filters of a query. Instants beyond the exact integers are later than every log: they are lowered. */
function toFilter(query: ConnectionFilter): ConnectionFilter {
  const bounded = (at: number | undefined) => (at === undefined ? undefined : Math.min(at, Number.MAX_SAFE_INTEGER));
  const names = Object.keys(connectionFilters) as (keyof ConnectionFilter)[];
  const filter: ConnectionFilter = Object.fromEntries(names.map((name) => [name, query[name]]));
  return { ...filter, from: bounded(query.from), to: bounded(query.to) };
}

/** `after` goes with `limit`, without `offset`, and with the order it was made for; throws AppError `invalid_query`. */
function checkCursor(order: Order, { after, limit, offset }: Pick<ConnectionListQuery, 'after' | 'limit' | 'offset'>) {
  if (after === undefined) {
    return;
  }
  if (limit === undefined) {
    throw refuseField('invalid_query', 'limit', 'is missing: after reads on page by page', 'missing');
  }
  if (offset !== undefined) {
    throw refuseField('invalid_query', 'offset', 'does not go with after: leave one of them out', 'invalid_value');
  }
  if (parseCursor(order, after) === null) {
    throw refuseField(
      'invalid_query',
      'after',
      'is no cursor of this order: take next of a page with the same sort',
      'invalid_value',
    );
  }
}

/** Refuses a scope that names nothing; throws AppError `invalid_query`. */
export function checkScope(
  { observers }: Pick<ConnectionHandlersOptions, 'observers'>,
  { sourceKind, sourceId }: ConnectionFilter,
): void {
  // The contract lets both come together or not at all.
  if (sourceKind !== undefined && sourceId !== undefined && !observers.isKnown(sourceKind, sourceId)) {
    throw refuseField(
      'invalid_query',
      'sourceId',
      sourceKind === 'agent'
        ? 'is no Agent that has reported connections'
        : 'is no router of this hub; GET /api/routers lists them',
      'not_known',
    );
  }
}
