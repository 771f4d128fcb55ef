// A thread for one task of thread-tasks.ts: parsing and building take longer than the event loop may be held.
import { Worker } from 'node:worker_threads';
import { messageOf } from '#kernel/errors.ts';
import type { BuildTask, Built, Checked, CheckTask } from './thread-tasks.ts';

export type ThreadTask = { check: CheckTask } | { build: BuildTask };
export type ThreadAnswer = { checked: Checked } | { built: Built };

/** Rejects when the thread ends without an answer, or `signal` is aborted. Tables are shared, not copied. */
function inThread(task: ThreadTask, signal: AbortSignal | undefined): Promise<ThreadAnswer> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./thread-main.ts', import.meta.url), { workerData: task });
  const stop = () => void worker.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  return new Promise<ThreadAnswer>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', (error) =>
      reject(new Error(`reading threat feeds failed: ${messageOf(error)}`, { cause: error })),
    );
    worker.once('exit', () => reject(signal?.reason ?? new Error('the thread that reads threat feeds ended')));
  }).finally(() => signal?.removeEventListener('abort', stop));
}

export async function checkInThread(task: CheckTask, signal?: AbortSignal): Promise<Checked> {
  const answer = await inThread({ check: task }, signal);
  return 'checked' in answer ? answer.checked : { problem: 'it could not be checked' };
}

export async function buildInThread(task: BuildTask, signal?: AbortSignal): Promise<Built> {
  const answer = await inThread({ build: task }, signal);
  if (!('built' in answer)) {
    throw new Error('the thread answered another question');
  }
  return answer.built;
}
