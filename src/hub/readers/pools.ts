// The reader threads of the hub, by what they answer.
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { SummaryQueries } from '../connections/summary/queries.ts';
import type { HubQueries } from '../queries.ts';
import { createReaderPool, type ReaderPool, type ReaderPoolOptions } from './pool.ts';

export interface ReaderPools extends AsyncDisposable {
  /** The answers of the API. */
  reads: ReaderPool<HubQueries>;
  /** One thread: it keeps the flows in memory, and would have to read them all again when it ended. */
  summaries: ReaderPool<SummaryQueries>;
  /** They last as long as their clients read, and end with their export. */
  exports: ReaderPool<HubQueries>;
  /** A look for beacons, or a check of the whole file: it takes seconds. */
  scans: ReaderPool<HubQueries>;
  /** Called from now on when a thread ended by itself, and when a query met a damaged page. */
  watch(events: Required<Pick<ReaderPoolOptions, 'lost' | 'damaged'>>): void;
}

/**
 * Eager pools start a thread of each kind that readiness asks; it loads its program while the hub loads and opens the
 * rest. The database need not be there before the first query.
 */
export function startReaderPools(file: string, isEager = true): ReaderPools {
  const events: Pick<ReaderPoolOptions, 'lost' | 'damaged'> = {};
  const module = (name: string) => new URL(name, import.meta.url).href;
  const retry = { headers: { 'Retry-After': '1' } };
  const refusal = () => new AppError('busy', 'too many queries are waiting: try again in a moment', retry);
  const waiting = {
    file,
    cacheKb: 4096,
    maxWaiting: limits.readersWaiting,
    refusal,
    lost: () => events.lost?.(),
    damaged: (error: Error) => events.damaged?.(error),
  };
  const hubQueries = { ...waiting, module: module('../queries.ts') };
  const reads = createReaderPool<HubQueries>({ ...hubQueries, size: limits.readerThreads });
  const summaries = createReaderPool<SummaryQueries>({
    ...waiting,
    module: module('../connections/summary/queries.ts'),
    size: 1,
    finishAbandoned: true,
  });
  const exports = createReaderPool<HubQueries>({
    ...hubQueries,
    cacheKb: 16_384,
    size: limits.exportsAtOnce,
    maxWaiting: 0,
    refusal: () => new AppError('rate_limited', 'two exports are running: try again when one has ended', retry),
    closeIdle: true,
  });
  const scans = createReaderPool<HubQueries>({ ...hubQueries, size: 1, closeIdle: true });
  if (isEager) {
    reads.warm();
    summaries.warm();
  }
  return {
    reads,
    summaries,
    exports,
    scans,
    watch(given) {
      Object.assign(events, given);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([reads, summaries, exports, scans].map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}
