// How often this process, in all its threads, has a database open.
import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { ifThere } from '../files/files.ts';

/** Handles of the file, its write-ahead log and its index (proc_pid_fd(5)); 0 where the system does not say. */
export function openHandles(file: string): number {
  if (process.platform !== 'linux') {
    return 0;
  }
  const names = new Set(['', '-wal', '-shm'].map((end) => path.resolve(file) + end));
  return readdirSync('/proc/self/fd').filter((handle) => names.has(targetOf(handle).replace(/ \(deleted\)$/, '')))
    .length;
}

/** The file of a handle; empty when it was closed meanwhile. */
function targetOf(handle: string): string {
  return ifThere(() => readlinkSync(`/proc/self/fd/${handle}`), '');
}
