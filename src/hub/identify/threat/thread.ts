// The thread that parses documents and builds tables: both take too long for the event loop.
import { Worker } from 'node:worker_threads';
import { messageOf } from '#kernel/errors.ts';
import type { buildAll } from './build-tables.ts';
import type { checkDocument, readDocument } from './documents.ts';

export interface ThreadTasks {
  check: typeof checkDocument;
  read: typeof readDocument;
  build: typeof buildAll;
}

export interface ThreadTask<N extends keyof ThreadTasks> {
  name: N;
  task: Parameters<ThreadTasks[N]>[0];
}

export interface FeedThread extends AsyncDisposable {
  /** Starts the thread ahead of a task. */
  start(): void;
  /**
   * One task at a time. Rows and tables are shared, `given` is transferred, the rest is copied. Rejects when the thread
   * ends without an answer, or the signal is aborted.
   */
  run<N extends keyof ThreadTasks>(
    name: N,
    task: Parameters<ThreadTasks[N]>[0],
    given?: ArrayBuffer,
  ): Promise<ReturnType<ThreadTasks[N]>>;
}

/** Starts with the first task at the latest and ends with its disposal: it needs its memory for a second an hour. */
export function createFeedThread(signal?: AbortSignal): FeedThread {
  let worker: Worker | null = null;
  let answer: PromiseWithResolvers<unknown> | null = null;
  const stop = async () => {
    await worker?.terminate();
  };
  const create = () => {
    const started = new Worker(new URL('./thread-main.ts', import.meta.url));
    started.on('message', (message) => answer?.resolve(message));
    started.once('error', (error) =>
      answer?.reject(new Error(`reading threat feeds failed: ${messageOf(error)}`, { cause: error })),
    );
    started.once('exit', () => {
      worker = null;
      answer?.reject(signal?.reason ?? new Error('the thread that reads threat feeds ended'));
    });
    return started;
  };
  signal?.addEventListener('abort', stop);
  return {
    start() {
      worker ??= create();
    },
    run(name, task, given) {
      signal?.throwIfAborted();
      const asked = Promise.withResolvers<ReturnType<ThreadTasks[typeof name]>>();
      answer = asked as typeof answer;
      worker ??= create();
      worker.postMessage({ name, task } satisfies ThreadTask<typeof name>, given ? [given] : []);
      return asked.promise;
    },
    async [Symbol.asyncDispose]() {
      signal?.removeEventListener('abort', stop);
      await stop();
    },
  };
}
