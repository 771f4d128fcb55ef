// Keeps the flow store of the summaries beside the database: now and then, and when the hub stops.
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { removeIfPossible } from '#kernel/files/files.ts';
import { decodeJson } from '#kernel/http/ready-body.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import { toFlowStoreFile } from '../../../base/storage/flow-store-file.ts';
import { noteRun } from '../store/change-log.ts';
import { removeKeptStore } from './index/kept-store.ts';
import type { SummaryQueries } from './queries.ts';

export type SummaryThread = Pick<ReaderPool<SummaryQueries>, 'ask'>;

interface KeeperOptions {
  clock: Clock;
  log: Log;
  db: Pick<Db, 'write' | 'file'>;
  /** The thread that holds the store. */
  thread: SummaryThread;
}

export interface StoreKeeper extends AsyncDisposable {
  /** The thread, for summaries: the keeper learns from them that there is a store to keep. */
  readonly thread: SummaryThread;
  /** Removes the file. Call it when flows were erased. */
  forget(): void;
}

/** Starts before the first change of the log in this run. Disposal writes what has changed since the file was written. */
export function startStoreKeeper({ clock, log, db, thread }: KeeperOptions): StoreKeeper {
  let hasStore = false;
  let erasures = 0;
  const keep = async (least: number, signal: AbortSignal) => {
    if (!hasStore) {
      return;
    }
    const erasuresBefore = erasures;
    const { refused } = decodeJson(await thread.ask('keepFlowStore', { least }, signal));
    // The thread may have begun to write before the erasure.
    if (erasures !== erasuresBefore) {
      removeKeptStore(db.file);
    }
    if (refused !== null) {
      log.warn(
        { reason: refused },
        'the kept index of the summaries could not be read: every connection was read, and the index is written anew',
      );
    }
  };
  const forget = () => {
    erasures += 1;
    removeKeptStore(db.file);
  };
  db.write(noteRun).catch((err: unknown) => {
    log.error({ err }, 'this run of the hub could not be noted in the database: the kept index is not used');
    removeIfPossible(toFlowStoreFile(db.file));
  });
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
    forget,
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
