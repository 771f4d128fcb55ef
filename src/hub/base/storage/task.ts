// Runs a task of the storage in a thread.
import { runTask } from '#kernel/process/task-thread.ts';
import type { StorageTasks } from './tasks.ts';

const module = new URL('./tasks.ts', import.meta.url).href;

/** As `runTask`; the steps that tasks report are names. */
export function runStorageTask<K extends keyof StorageTasks>(
  name: K,
  params: Parameters<StorageTasks[K]>[0],
  options: { signal?: AbortSignal; report?: (step: string) => void } = {},
): Promise<Awaited<ReturnType<StorageTasks[K]>>> {
  return runTask<StorageTasks, K>(module, name, params, options);
}
