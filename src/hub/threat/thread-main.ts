// The thread of thread.ts: does its one task and ends.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadTask } from './thread.ts';
import { buildAll, checkDocument } from './thread-tasks.ts';

const task = workerData as ThreadTask;
const answer: ThreadAnswer = 'check' in task ? { checked: checkDocument(task.check) } : { built: buildAll(task.build) };
parentPort?.postMessage(answer);
