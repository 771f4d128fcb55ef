// Checkpoints the write-ahead log of SQLite in a thread: its two disk syncs would block the event loop.
import { Worker } from 'node:worker_threads';

export interface Checkpointer extends AsyncDisposable {
  /** Requests a checkpoint; several requests during one become one. */
  ask(): void;
}

/** The thread starts with the first request. `failed` is called once if it ends by an error; no checkpoint follows. */
export function createCheckpointer(file: string, failed: () => void): Checkpointer {
  let worker: Worker | null = null;
  let asked: 'no' | 'under way' | 'again' = 'no';
  let isBroken = false;

  const start = () => {
    const started = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: file });
    started.on('message', () => {
      const again = asked === 'again';
      asked = 'no';
      if (again) {
        checkpointer.ask();
      }
    });
    started.once('error', () => {
      isBroken = true;
      worker = null;
      failed();
    });
    // A message listener keeps the process alive: last.
    started.unref();
    return started;
  };
  const checkpointer: Checkpointer = {
    ask() {
      if (isBroken) {
        return;
      }
      if (asked !== 'no') {
        asked = 'again';
        return;
      }
      asked = 'under way';
      worker ??= start();
      worker.postMessage('checkpoint');
    },
    async [Symbol.asyncDispose]() {
      const ending = worker;
      isBroken = true;
      if (ending) {
        ending.ref();
        const exit = new Promise((resolve) => ending.once('exit', resolve));
        ending.postMessage('stop');
        await exit;
      }
    },
  };
  return checkpointer;
}

/** Rejects with what SQLite says, such as that the disk is full; the file is as it was then. */
export function compactInThread(file: string): Promise<void> {
  const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: file });
  return new Promise((resolve, reject) => {
    worker.once('message', () => worker.postMessage('stop'));
    worker.once('error', reject);
    worker.once('exit', () => resolve());
    worker.postMessage('compact');
  });
}
