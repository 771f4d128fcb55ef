// The program of a thread that task-thread.ts starts.
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { TaskMessage, TaskStart, TaskTable } from './task-thread.ts';
import { workInBackground } from './thread-priority.ts';

async function run(port: NonNullable<typeof parentPort>): Promise<void> {
  workInBackground();
  const { module, name, params } = workerData as TaskStart;
  const cancelled = new AbortController();
  const send = (message: TaskMessage) => port.postMessage(message);
  port.on('message', () => cancelled.abort(new Error('the task was cancelled')));
  try {
    const { tasks } = (await import(module)) as { tasks: TaskTable };
    const task = tasks[name];
    if (!task) {
      throw new Error(`there is no task named ${name}`);
    }
    const report = (progress: unknown) => send({ progress });
    send({ value: await task(params as never, { signal: cancelled.signal, report }) });
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error));
    const own = known instanceof AppError ? { code: known.code, details: known.details } : {};
    send({ failed: { ...own, message: known.message, stack: known.stack } });
  } finally {
    port.close();
  }
}

if (parentPort) {
  await run(parentPort);
}
