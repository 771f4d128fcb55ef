// Closed hours of the log for whoever keeps a copy of them elsewhere. Threads read them: the event loop only passes bytes on.
import { runTask } from '#kernel/process/task-thread.ts';
import type { ClosedHoursTasks } from './tasks.ts';
import type { ClosedHours } from './type.ts';

const module = new URL('./tasks.ts', import.meta.url).href;

/** Reads the database `file`. Each call opens and closes a connection in a thread of its own. */
export function createClosedHours(file: string): ClosedHours {
  const run = <K extends keyof ClosedHoursTasks>(
    name: K,
    params: Parameters<ClosedHoursTasks[K]>[0],
    signal: AbortSignal | undefined,
  ) => runTask<ClosedHoursTasks, K>(module, name, params, { signal });
  return {
    look: (params, signal) => run('look', { ...params, file }, signal),
    unit: (params, signal) => run('unit', { ...params, file }, signal),
    count: (hours, closedAt, signal) => run('count', { file, hours, closedAt }, signal),
  };
}
