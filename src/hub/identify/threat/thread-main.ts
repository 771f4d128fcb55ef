// The program of the thread of thread.ts: runs one task after another.
import { parentPort } from 'node:worker_threads';
import { buildAll } from './build-tables.ts';
import { checkDocument, readDocument } from './documents.ts';
import type { ThreadTask, ThreadTasks } from './thread.ts';

const tasks: ThreadTasks = { check: checkDocument, read: readDocument, build: buildAll };

parentPort?.on('message', <N extends keyof ThreadTasks>({ name, task }: ThreadTask<N>) => {
  const run = tasks[name] as (task: Parameters<ThreadTasks[N]>[0]) => ReturnType<ThreadTasks[N]>;
  parentPort?.postMessage(run(task));
});
