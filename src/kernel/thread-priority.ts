// Lets the event loop go first when there is more work than processors.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of -20…19: more is less urgent (setpriority(2)). The event loop has 0 unless the process was started with another. */
const background = 5;

/**
 * Makes the thread that calls less urgent than the event loop: a processor that both want is the event loop's. Linux
 * alone has priorities of threads; elsewhere nothing happens.
 */
export function workInBackground(): void {
  if (process.platform === 'linux') {
    // "PID/task/TID": what Node calls a thread's id is not the system's.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, background);
  }
}
