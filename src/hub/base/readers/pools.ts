// The reader pools of the hub, by purpose.
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { SummaryQueries } from '../../record/connections/summary/queries.ts';
import type { HubQueries } from '../../start/queries.ts';
import { createReaderPool, type ReaderPoolOptions } from './pool.ts';

export type ReaderPools = ReturnType<typeof startReaderPools>;

/**
 * Eager pools start the threads that readiness depends on; they load while the rest of the hub starts. The database may
 * be missing until the first query.
 */
export function startReaderPools(file: string, isEager = true) {
  const events: Pick<ReaderPoolOptions, 'lost' | 'damaged'> = {};
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
  const hubQueries = { ...waiting, module: new URL('../../start/queries.ts', import.meta.url).href };
  const reads = createReaderPool<HubQueries>({ ...hubQueries, size: limits.readerThreads });
  const summaries = createReaderPool<SummaryQueries>({
    ...waiting,
    module: new URL('../../record/connections/summary/queries.ts', import.meta.url).href,
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
  const previews = createReaderPool<HubQueries>({
    ...hubQueries,
    size: 1,
    maxWaiting: 1,
    refusal: () => new AppError('rate_limited', 'two previews are running: try again when one has ended', retry),
    closeIdle: true,
  });
  const scans = createReaderPool<HubQueries>({ ...hubQueries, size: 1, closeIdle: true });
  if (isEager) {
    reads.warm();
    summaries.warm();
  }
  return {
    /** Threads for the queries of the API. */
    reads,
    /** One thread for summaries, which holds all flows in memory. */
    summaries,
    /** Threads for exports. An export runs as long as its client reads, and its thread ends with it. */
    exports,
    /** Threads for beacon scans and checks of the whole file, which take seconds. */
    scans,
    /** One thread for previews of other settings, which take seconds. One more may wait. */
    previews,
    /** Sets what is called when a thread ends unexpectedly, and when a query finds a damaged page. */
    watch({ lost, damaged }: Required<Pick<ReaderPoolOptions, 'lost' | 'damaged'>>) {
      Object.assign(events, { lost, damaged });
    },
    async [Symbol.asyncDispose]() {
      // Pools that were started ahead are referred to for as long as the hub; what watched them ends with its run.
      delete events.lost;
      delete events.damaged;
      await Promise.all([reads, summaries, exports, scans, previews].map((pool) => pool[Symbol.asyncDispose]()));
    },
  };
}
