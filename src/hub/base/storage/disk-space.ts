// The free space on the disk of the data: shown, warned of when it is low, and the reason when writes fail.
import { statfs } from 'node:fs/promises';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { describeCause } from '../refusals.ts';
import { createStatement, type Statement } from '../statements.ts';

const everyMs = minuteMs;
/** Below a tenth of the disk, and at most this, it is time to make room. */
const warnBelowMost = 1_073_741_824;
/** With less free room in bytes than this, the next write may fail. */
const fullBelow = 262_144;

/** Bytes of the disk that this user may fill; null when the system does not say. */
export interface Room {
  freeBytes: number | null;
  totalBytes: number | null;
  warnBelowBytes: number | null;
}

export function startDiskSpace({ clock, log, folder }: { clock: Clock; log: Log; folder: string }) {
  const state: { warning: Statement | null; level: 'enough' | 'low' | 'full' } = { warning: null, level: 'enough' };
  const look = async (): Promise<Room> => {
    const found = await statfs(folder).catch((error: unknown) => {
      const about = describeCause(error);
      const sentence = `the free space of ${folder} cannot be read (${about.detail}): see that the folder is there`;
      state.warning = createStatement('disk_unreadable', sentence, { folder, ...about });
      return null;
    });
    if (found === null) {
      return { freeBytes: null, totalBytes: null, warnBelowBytes: null };
    }
    const { bavail, blocks, bsize } = found;
    const freeBytes = bavail * bsize;
    const totalBytes = blocks * bsize;
    const warnBelowBytes = Math.min(warnBelowMost, Math.floor(totalBytes / 10));
    const level = freeBytes < fullBelow ? 'full' : freeBytes < warnBelowBytes ? 'low' : 'enough';
    state.warning = {
      full: createStatement(
        'disk_full',
        `the disk of ${folder} is full: nothing more is recorded or saved; make room on it, the hub then goes on by itself`,
        { folder },
      ),
      low: createStatement(
        'disk_low',
        `the disk of ${folder} has ${formatSize(freeBytes)} free of ${formatSize(totalBytes)}: make room before it is full`,
        { folder, free: formatSize(freeBytes), total: formatSize(totalBytes) },
      ),
      enough: null,
    }[level];
    if (level !== state.level) {
      log.warn({ freeBytes, totalBytes }, state.warning?.sentence ?? `the disk of ${folder} has room again`);
      state.level = level;
    }
    return { freeBytes, totalBytes, warnBelowBytes };
  };
  const run = async () => void (await look());
  const job = startJob(clock, log, { name: 'the look at the free space', firstMs: 0, everyMs, run });
  return {
    /** Reads the free space (statfs(2)). */
    look,
    /** The warning of the last look; null while there is enough space. */
    warning: () => state.warning,
    isFull: () => state.level === 'full',
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** Such as 1.9 MB or 34 MB. */
export function formatSize(bytes: number): string {
  const isLarge = bytes >= 1e9;
  const size = bytes / (isLarge ? 1e9 : 1e6);
  return `${size >= 10 ? Math.round(size) : size.toFixed(1)} ${isLarge ? 'GB' : 'MB'}`;
}
