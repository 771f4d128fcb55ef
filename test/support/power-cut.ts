// What a power cut leaves of a file: the bytes that were synced, and of the others nobody knows. A trace of the system calls
// of a process says which were synced; the others are overwritten in the file that the killed process left.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Random } from '#simulators/support/random.ts';

/** Options of strace that trace what `unsyncedRanges` reads, into `log`. */
export const traceOptions = (log: string): readonly string[] => [
  ...['-f', '-y', '-s', '0', '-e', 'signal=none', '-e', 'trace=pwrite64,fsync,fdatasync,ftruncate', '-o', log],
];

export interface Range {
  from: number;
  to: number;
}

/** Ranges of `file` that were written and not synced after that, at the end of the trace. */
export function unsyncedRanges(trace: string, file: string): Range[] {
  let unsynced: Range[] = [];
  /** Process → what its sync that is under way covers. */
  const syncing = new Map<string, Range[]>();
  for (const line of trace.split('\n')) {
    const [, pid = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const [, path, length, offset] = /^pwrite64\(\d+<([^>]*)>.*?, (\d+), (\d+)/.exec(call) ?? [];
    if (path === file) {
      unsynced.push({ from: Number(offset), to: Number(offset) + Number(length) });
    }
    const [, synced, end = ''] = /^f(?:data)?sync\(\d+<([^>]*)>(.*)$/.exec(call) ?? [];
    if (synced === file) {
      syncing.set(pid, unsynced);
      unsynced = [...unsynced];
    }
    const isDone = end.endsWith('= 0') || /^<\.\.\. f(?:data)?sync resumed>.*= 0$/.test(call);
    const covered = isDone ? syncing.get(pid) : undefined;
    if (covered) {
      unsynced = unsynced.filter((range) => !covered.includes(range));
      syncing.delete(pid);
    }
  }
  return unsynced;
}

/** Overwrites some of the unsynced sectors of `file`, as a disk may that lost its power. Returns how many. */
export function loseUnsynced(traceFile: string, file: string, random: Random): number {
  const ranges = unsyncedRanges(readFileSync(traceFile, 'utf8'), file);
  if (ranges.length === 0) {
    return 0;
  }
  const fd = openSync(file, 'r+');
  let lost = 0;
  for (const { from, to } of ranges) {
    for (let at = from; at < to; at += sector) {
      if (random.next() < 0.7) {
        const garbage = Buffer.alloc(Math.min(sector, to - at), Math.floor(random.next() * 256));
        writeSync(fd, garbage, 0, garbage.length, at);
        lost += 1;
      }
    }
  }
  closeSync(fd);
  return lost;
}

const sector = 512;
