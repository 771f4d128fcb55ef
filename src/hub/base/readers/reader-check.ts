// Checks that reads work: once for each pool, and again after one of its threads ended unexpectedly.

import { messageOf } from '#kernel/errors.ts';
import { damageRemedy } from '#kernel/sqlite/database-file.ts';
import type { Base } from '../feature.ts';
import { describeCause } from '../refusals.ts';
import { createStatement, type Statement } from '../statements.ts';

/** A failed check is not repeated sooner: /readyz is public, and each try starts threads. */
const retryMs = 5000;

interface Options extends Pick<Base, 'clock' | 'log'> {
  /** The database file, for messages. */
  file: string;
  /** Resolves when a thread of every kind has read the file. */
  ask(signal: AbortSignal): Promise<unknown>;
  /** false: the first call of `problem` starts the first check. */
  isEager: boolean;
}

export function startReaderCheck({ clock, log, file, ask, isEager }: Options) {
  const stop = new AbortController();
  const state: { last: Statement | null; failedAt: number; isDue: boolean; running: Promise<void> | null } = {
    last: null,
    failedAt: Number.NEGATIVE_INFINITY,
    isDue: true,
    running: null,
  };

  const damage: { found: Statement | null } = { found: null };

  const failed = (error: unknown) => {
    if (stop.signal.aborted) {
      return;
    }
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const about = describeCause(cause);
    const sentence = `the log cannot be read, a reader thread cannot start (${about.detail}): see that this process may use more memory, threads and open files (ulimit -v, -u, -n) and may read ${file}; it is tried again`;
    if (state.last === null) {
      log.error({ err: error }, sentence);
    }
    state.last = createStatement('reads_fail', sentence, { file, ...about });
    state.failedAt = clock.now();
    state.isDue = true;
  };
  const succeeded = () => {
    if (state.last !== null) {
      log.info({}, 'the log can be read again');
    }
    state.last = null;
  };
  const check = async () => {
    state.isDue = false;
    await ask(stop.signal).then(succeeded, failed);
  };
  const current = (): Promise<void> => {
    const waited = Math.abs(clock.now() - state.failedAt);
    if (state.isDue && waited >= retryMs && !stop.signal.aborted) {
      state.running ??= check().finally(() => {
        state.running = null;
      });
    }
    return state.running ?? Promise.resolve();
  };
  if (isEager) {
    void current();
  }
  return {
    /** Resolves to a statement about the failure, or to null. Waits for a check only while one is running or due. */
    async problem() {
      await current();
      return damage.found ?? state.last;
    },
    /** The outcome of the last check; null while there is none. */
    last: () => damage.found ?? state.last,
    /** To be called when a query found a damaged page: that is permanent until a restart. */
    damaged(error: Error) {
      if (damage.found === null) {
        const detail = messageOf(error);
        const sentence = `reads fail, ${file} is damaged (${detail}): ${damageRemedy}`;
        damage.found = createStatement('database_damaged', sentence, { file, detail });
        log.error({ err: error }, sentence);
      }
    },
    /** To be called when a thread ended unexpectedly. */
    lost() {
      state.isDue = true;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub is stopping'));
      await state.running;
    },
  };
}
