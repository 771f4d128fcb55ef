// The main-thread side of a reader thread: it runs one query at a time and reports its events.
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '#kernel/errors.ts';
import { hasPassed, systemClock } from '#kernel/time/clock.ts';
import type { FromThread, ThreadStart, ToThread } from './query-table.ts';

export interface QueryEvents {
  /** The one answer, or the next chunk of a stream. */
  received(bytes: Uint8Array): void;
  /** The query has ended; `error` when it or its thread failed. */
  ended(error?: Error): void;
}

export type Thread = ReturnType<typeof startThread>;

/** Queries allocate short-lived rows and texts: a small nursery keeps the thread small. In megabytes. */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };

/** Milliseconds that a thread gets to close its file and end. Terminating it inside native code may crash the process. */
const endsWithinMs = 1000;

/** `lost` is called once when the thread ends unexpectedly: it cannot be used again. */
export function startThread(
  { file, module, cacheKb, patienceMs = endsWithinMs }: ThreadStart & { patienceMs?: number },
  lost: () => void,
) {
  const start: ThreadStart = { file, module, cacheKb };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: start, resourceLimits });
  const state: { events?: QueryEvents | undefined; isEnding: boolean; reason?: Error } = { isEnding: false };
  const exit = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const loaded = Promise.withResolvers<void>();
  const end = (error?: Error) => {
    const { events } = state;
    state.events = undefined;
    // An ending thread keeps the process alive, also when its last answer arrives meanwhile.
    if (!state.isEnding) {
      worker.unref();
    }
    events?.ended(error);
  };
  const post = (message: ToThread) => worker.postMessage(message);

  worker.on('message', (message: FromThread) => {
    if ('loaded' in message) {
      loaded.resolve();
      return;
    }
    if ('failed' in message) {
      end(errorOf(message.failed));
      return;
    }
    if ('bytes' in message) {
      state.events?.received(message.bytes);
    }
    if (message.done) {
      end();
    }
  });
  const lose = (error: Error) => {
    if (!state.isEnding) {
      state.isEnding = true;
      lost();
    }
    end(error);
  };
  worker.once('error', (cause) => lose(new Error('a reader thread failed', { cause })));
  worker.once('exit', () => lose(new Error('a reader thread ended while it was running a query')));
  // A message listener keeps the process alive, which only a running query may do.
  worker.unref();
  return {
    /** Starts a query; the previous one must have ended. `isGzipped`: its chunks arrive as one gzip. */
    run(name: string, params: unknown, isGzipped: boolean, events: QueryEvents) {
      // It was given up before its query began.
      if (state.reason) {
        events.ended(state.reason);
        return;
      }
      state.events = events;
      worker.ref();
      post({ run: name, params, isGzipped });
    },
    /** Requests the next chunk of a stream, or ends it. */
    go: (on: 'on' | 'off') => post({ go: on }),
    /**
     * Ends the running query with `reason` at once, and the thread when it comes to its next message. A thread that takes
     * longer is terminated when SQLite returns from its statement, but not while it loads native code.
     */
    async interrupt(reason: Error) {
      state.isEnding = true;
      state.reason = reason;
      end(reason);
      worker.ref();
      await Promise.race([loaded.promise, exit]);
      post('stop');
      const ended = new AbortController();
      void exit.then(() => ended.abort());
      if (await hasPassed(systemClock, patienceMs, ended.signal)) {
        await worker.terminate();
      }
    },
    async [Symbol.asyncDispose]() {
      state.isEnding = true;
      worker.ref();
      post('stop');
      await exit;
    },
  };
}

function errorOf({ code, sqliteCode, message, stack }: Extract<FromThread, { failed: unknown }>['failed']): Error {
  if (code !== undefined) {
    return new AppError(code as ErrorCode, message);
  }
  const error = Object.assign(new Error(message), sqliteCode === undefined ? {} : { code: sqliteCode });
  error.stack = stack ?? message;
  return error;
}
