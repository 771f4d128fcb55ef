// Thread priorities: the event loop goes first when there is more work than processors.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Added to the nice value of the event loop, -20…19: higher is less urgent (setpriority(2)). */
const background = 5;

/** Makes the calling thread less urgent than the event loop; on Linux alone, where threads have priorities. */
export function workInBackground(): void {
  if (process.platform === 'linux') {
    // "PID/task/TID": what Node calls a thread's id is not the system's.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    // The event loop runs in the first thread, whose id is the process id. nice(1) or a unit may have set its nice value.
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(process.pid) + background));
  }
}
