// A pool of reader threads, each with a read-only connection, and a bounded queue: reads do not block the event loop.
import { AppError } from '#kernel/errors.ts';
import { gzippedJson, type ReadyJson, readyJson } from '#kernel/http/ready-body.ts';
import { isUnreadable } from '#kernel/sqlite/refused-write.ts';
import { type Chunks, checkQuery, type QueryTable, type ThreadStart } from './query-table.ts';
import { startThread, type Thread } from './thread.ts';

export interface ReaderPoolOptions extends ThreadStart {
  /** Maximum number of threads; each starts with the first query that finds no idle one. */
  size: number;
  /** Maximum number of waiting queries; one more is refused with `refusal()`. */
  maxWaiting: number;
  refusal: () => AppError;
  /** Ends idle threads. */
  closeIdle?: boolean;
  /** Lets an abandoned query finish: its thread holds state that is expensive to rebuild. */
  finishAbandoned?: boolean;
  /** How long a thread that is given up may take to end by itself; a second when absent. */
  patienceMs?: number;
  /** Called when a thread ends unexpectedly. */
  lost?: () => void;
  /** Called when a query failed because the file is damaged. */
  damaged?: (error: Error) => void;
}

/** Runs the queries `Q`. A signal drops a waiting query and interrupts a running one. */
export interface ReaderPool<Q extends QueryTable> extends AsyncDisposable {
  /** Rejects with the query's AppError, the pool's refusal, or the signal's reason. */
  ask<K extends keyof Q & string>(
    name: K,
    params: Parameters<Q[K]>[1],
    signal: AbortSignal,
  ): Promise<ReadyJson<ReturnType<Q[K]>>>;
  /** The answer of a generator query, compressed while its chunks are produced. */
  askGzipped<K extends keyof Q & string>(
    name: K,
    params: Parameters<Q[K]>[1],
    signal: AbortSignal,
  ): Promise<ReadyJson<ReturnType<Q[K]> extends Chunks<infer B> ? B : never>>;
  /** Starts a thread ahead of the first query. */
  warm(): void;
  /** Resolves when a thread has read the file, or all are busy. Rejects when none can start or read. */
  check(signal: AbortSignal): Promise<void>;
  /** The chunks of a generator query, with backpressure. Leaving the loop ends the query. */
  stream<K extends keyof Q & string>(
    name: K,
    params: Parameters<Q[K]>[1],
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void>;
}

interface Turn {
  begin(thread: Thread): void;
  drop(reason: Error): void;
}

export function createReaderPool<Q extends QueryTable>(options: ReaderPoolOptions): ReaderPool<Q> {
  const threads = createThreads(options);
  const noteDamage = (error: unknown): never => {
    if (error instanceof Error && isUnreadable(error)) {
      options.damaged?.(error);
    }
    throw error;
  };
  const answer = async (name: string, params: unknown, isGzipped: boolean, signal: AbortSignal) => {
    const thread = await threads.take(signal);
    const query = runQuery(thread, name, params, isGzipped)
      .catch(noteDamage)
      .finally(() => threads.free(thread));
    const abandoned = Promise.withResolvers<never>();
    const cancel = () =>
      options.finishAbandoned ? abandoned.reject(signal.reason) : threads.interrupt(thread, signal.reason);
    listenForAbort(signal, cancel);
    try {
      return await Promise.race([query, abandoned.promise]);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  return {
    ask: async (name, params, signal) => readyJson(await answer(name, params, false, signal)),
    askGzipped: async (name, params, signal) => gzippedJson(await answer(name, params, true, signal)),
    warm: threads.warm,
    async check(signal) {
      await answer(checkQuery, undefined, false, signal).catch((error: unknown) => {
        if (!(error instanceof AppError)) {
          throw error;
        }
      });
    },
    async *stream(name, params, signal) {
      const thread = await threads.take(signal);
      const chunks = createChunkReader(thread, name, params);
      const cancel = () => chunks.fail(signal.reason);
      listenForAbort(signal, cancel);
      try {
        yield* chunks.taken();
      } finally {
        signal.removeEventListener('abort', cancel);
        await chunks.stopped();
        threads.free(thread);
      }
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

/** The threads of a pool, and the queries that wait for one. */
function createThreads(options: ReaderPoolOptions) {
  const idle = new Set<Thread>();
  const all = new Set<Thread>();
  const waiting = new Set<Turn>();
  const ending = new Set<Promise<void>>();
  const retired = new WeakSet<Thread>();
  let isClosed = false;

  const lose = (thread: Thread) => {
    all.delete(thread);
    idle.delete(thread);
    serveNext();
  };
  const start = () => {
    const thread: Thread = startThread(options, () => {
      lose(thread);
      options.lost?.();
    });
    all.add(thread);
    return thread;
  };
  const serveNext = () => {
    for (const turn of waiting) {
      const [free] = idle;
      if (free === undefined && all.size >= options.size) {
        return;
      }
      waiting.delete(turn);
      try {
        const thread = free ?? start();
        idle.delete(thread);
        turn.begin(thread);
      } catch (error) {
        // The system has no room for one more thread.
        turn.drop(error as Error);
      }
    }
  };
  const end = (thread: Thread, how: Promise<void>) => {
    retired.add(thread);
    const ended = how.finally(() => {
      ending.delete(ended);
      lose(thread);
    });
    ending.add(ended);
  };
  const free = (thread: Thread) => {
    if (!all.has(thread) || retired.has(thread)) {
      return;
    }
    idle.add(thread);
    serveNext();
    if (options.closeIdle && idle.delete(thread)) {
      end(thread, Promise.resolve(thread[Symbol.asyncDispose]()));
    }
  };
  const interrupt = (thread: Thread, reason: Error) => end(thread, thread.interrupt(reason));

  return {
    free,
    interrupt,
    warm: () => free(start()),
    /** Resolves to a thread for one query; the caller frees it. Rejects when the query is dropped first. */
    async take(signal: AbortSignal): Promise<Thread> {
      signal.throwIfAborted();
      if (isClosed || (idle.size === 0 && all.size >= options.size && waiting.size >= options.maxWaiting)) {
        throw options.refusal();
      }
      const turn = waitForTurn(waiting, signal);
      serveNext();
      const thread = await turn;
      if (signal.aborted) {
        free(thread);
        throw signal.reason;
      }
      return thread;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const turn of waiting) {
        turn.drop(new Error('the hub is stopping'));
      }
      for (const thread of [...all].filter((thread) => !idle.has(thread))) {
        interrupt(thread, new Error('the hub is stopping'));
      }
      await Promise.all([...idle].map((thread) => thread[Symbol.asyncDispose]()));
      await Promise.all(ending);
    },
  };
}

/** Adds a query to those that wait. Resolves to its thread; rejects when the query is dropped first. */
function waitForTurn(waiting: Set<Turn>, signal: AbortSignal): Promise<Thread> {
  const { promise, resolve, reject } = Promise.withResolvers<Thread>();
  const drop = () => turn.drop(signal.reason);
  const turn: Turn = {
    begin(thread) {
      signal.removeEventListener('abort', drop);
      resolve(thread);
    },
    drop(reason) {
      waiting.delete(turn);
      signal.removeEventListener('abort', drop);
      reject(reason);
    },
  };
  signal.addEventListener('abort', drop, { once: true });
  waiting.add(turn);
  return promise;
}

/** Calls `cancel` at once when `signal` was aborted since the thread was taken. */
function listenForAbort(signal: AbortSignal, cancel: () => void): void {
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) {
    cancel();
  }
}

function runQuery(thread: Thread, name: string, params: unknown, isGzipped: boolean): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    thread.run(name, params, isGzipped, {
      received: resolve,
      ended: (error) => reject(error ?? new Error(`the query ${name} gave no answer`)),
    });
  });
}

/** Reads the chunks of a stream; `taken` requests one more with each chunk that it yields. */
function createChunkReader(thread: Thread, name: string, params: unknown) {
  const ready: Uint8Array[] = [];
  const state: { error?: Error | undefined; isEnded: boolean; news: PromiseWithResolvers<void> } = {
    isEnded: false,
    news: Promise.withResolvers(),
  };
  const end = Promise.withResolvers<void>();
  const fail = (error: Error | undefined) => {
    state.error ??= error;
    state.news.resolve();
  };
  thread.run(name, params, false, {
    received(bytes) {
      ready.push(bytes);
      state.news.resolve();
    },
    ended(error) {
      state.isEnded = true;
      end.resolve();
      fail(error);
    },
  });
  return {
    fail,
    async *taken(): AsyncGenerator<Uint8Array, void, void> {
      for (;;) {
        if (state.error) {
          throw state.error;
        }
        const chunk = ready.shift();
        if (chunk) {
          yield chunk;
          thread.go('on');
        } else if (state.isEnded) {
          return;
        } else {
          await state.news.promise;
          state.news = Promise.withResolvers();
        }
      }
    },
    stopped(): Promise<void> {
      thread.go('off');
      return end.promise;
    },
  };
}
