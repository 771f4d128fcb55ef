// Work on files that waits: every thread that Node does such work with is busy until it is let go.
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

/** More than libuv's pool has threads (UV_THREADPOOL_SIZE, four when it is not set). */
const openings = 16;

/** Opens a named pipe in `folder` until no thread is left. Returns how to let all of them go. */
export function holdFileWork(folder: string): () => Promise<void> {
  const pipe = path.join(folder, 'pipe');
  if (spawnSync('mkfifo', [pipe]).status !== 0) {
    throw new Error(`mkfifo ${pipe} failed`);
  }
  // A pipe opens for reading when somebody opens it for writing (fifo(7)).
  const held = Array.from({ length: openings }, () => open(pipe, 'r'));
  return async () => {
    const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    for (const opening of held) {
      await (await opening).close();
    }
    closeSync(writer);
  };
}
