// Thread priorities: the event loop goes first when there is more work than processors.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value, -20…19: higher is less urgent (setpriority(2)). The event loop has 0 unless the process was started with another. */
const background = 5;

/** Makes the calling thread less urgent than the event loop; on Linux alone, where threads have priorities. */
export function workInBackground(): void {
  if (process.platform === 'linux') {
    // "PID/task/TID": what Node calls a thread's id is not the system's.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, background);
  }
}
