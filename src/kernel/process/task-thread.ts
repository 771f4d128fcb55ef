// Runs one long task in its own thread, which has a lower priority than the main thread and ends with the task.
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../errors.ts';

export interface TaskRun {
  /** Aborted when the caller of `runTask` aborts. The task sees it only after it has yielded to the event loop. */
  signal: AbortSignal;
  /** Sends a progress value to the caller of `runTask`. */
  report: (progress: unknown) => void;
}

/** The export `tasks` of a task module. Threads exchange structured clones of parameters, progress and results. */
export type TaskTable = Readonly<Record<string, (params: never, run: TaskRun) => unknown>>;

export interface TaskStart {
  /** URL of a module that exports `tasks`. */
  module: string;
  name: string;
  params: unknown;
}

export type TaskMessage =
  | { progress: unknown }
  | { value: unknown }
  | { failed: { code?: string; details?: Record<string, unknown>; message: string; stack?: string | undefined } };

/**
 * Resolves to what the task returns. Rejects with its AppError or Error, with the reason of `signal` when the task ended
 * because of it, and with an Error when the thread ended without an answer.
 */
export async function runTask<T extends TaskTable, K extends keyof T & string>(
  module: string,
  name: K,
  params: Parameters<T[K]>[0],
  { signal, report }: { signal?: AbortSignal | undefined; report?: ((progress: never) => void) | undefined } = {},
): Promise<Awaited<ReturnType<T[K]>>> {
  signal?.throwIfAborted();
  const start: TaskStart = { module, name, params };
  const worker = new Worker(new URL('./task-thread-main.ts', import.meta.url), { workerData: start });
  const answer = Promise.withResolvers<Awaited<ReturnType<T[K]>>>();
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('message', (message: TaskMessage) => {
    if ('progress' in message) {
      report?.(message.progress as never);
    } else if ('value' in message) {
      answer.resolve(message.value as Awaited<ReturnType<T[K]>>);
    } else {
      answer.reject(signal?.aborted ? signal.reason : toError(message.failed));
    }
  });
  worker.once('error', (cause) => answer.reject(new Error(`the thread of ${name} failed`, { cause })));
  void exited.then(() => answer.reject(new Error(`the thread of ${name} ended without an answer`)));
  const cancel = () => worker.postMessage('cancel');
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await answer.promise;
  } finally {
    signal?.removeEventListener('abort', cancel);
    await exited;
  }
}

function toError({ code, details = {}, message, stack }: Extract<TaskMessage, { failed: unknown }>['failed']): Error {
  if (code !== undefined) {
    return new AppError(code as ErrorCode, message, { details });
  }
  const error = new Error(message);
  error.stack = stack ?? message;
  return error;
}
