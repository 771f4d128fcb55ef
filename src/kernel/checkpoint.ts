// Moves committed pages from SQLite's write-ahead log into the database file, in a thread: on the event loop the two
// syncs to the disk would block it.
import { Worker } from 'node:worker_threads';

export interface Checkpointer extends AsyncDisposable {
  /** Asks for one checkpoint; several asks while one is under way become one. */
  ask(): void;
}

/** The thread starts with the first ask. `failed` is called once if it ends by an error; no checkpoint comes after it. */
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
    // A listener for messages keeps the program running: last.
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
