// Keeps the flow store of the summaries beside the database: now and then, and when the hub stops.
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { decodeJson } from '#kernel/http/ready-body.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import { removeKeptStore } from './index/kept-store.ts';
import type { SummaryQueries } from './queries.ts';

export type SummaryThread = Pick<ReaderPool<SummaryQueries>, 'ask'>;

interface KeeperOptions {
  clock: Clock;
  log: Log;
  /** The thread that holds the store. */
  thread: SummaryThread;
  /** Path of the database. */
  databaseFile: string;
}

export interface StoreKeeper extends AsyncDisposable {
  /** The same thread; without a summary asked through it there is no store to keep. */
  readonly thread: SummaryThread;
  /** Removes the file, since flows were erased. */
  forget(): void;
}

/** Disposal writes what has changed since the file was written. */
export function startStoreKeeper({ clock, log, thread, databaseFile }: KeeperOptions): StoreKeeper {
  let hasStore = false;
  const keep = async (least: number, signal: AbortSignal) => {
    if (!hasStore) {
      return;
    }
    const { refused } = decodeJson(await thread.ask('keepFlowStore', { least }, signal));
    if (refused !== null) {
      log.warn({ reason: refused }, 'the first summary read every connection: its kept index is damaged');
    }
  };
  const job = startJob(clock, log, {
    name: 'keeping the index of the summaries',
    everyMs: limits.flowStoreEveryMs,
    run: (signal) => keep(limits.flowStoreChanges, signal),
  });
  return {
    thread: {
      ask(name, params, signal) {
        hasStore ||= name === 'summary';
        return thread.ask(name, params, signal);
      },
    },
    forget: () => removeKeptStore(databaseFile),
    async [Symbol.asyncDispose]() {
      await job[Symbol.asyncDispose]();
      try {
        await keep(1, AbortSignal.timeout(limits.flowStoreStopMs));
      } catch (error) {
        log.warn(
          { reason: messageOf(error) },
          'the index of the summaries was not kept: the next start reads every connection',
        );
      }
    },
  };
}
