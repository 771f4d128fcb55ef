// Whether a disk has room for what is about to be written.
import { existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import type { FactCode } from '#contract/facts.ts';
import { AppError } from '#kernel/errors.ts';
import { isDiskFull } from '#kernel/files/files.ts';
import { createFact, createRefusal, describeCause } from '../refusals.ts';
import { formatSize } from './disk-space.ts';

/** Left free, so that the hub goes on recording. */
const reserveBytes = 8_388_608;

/** Bytes of the disk of `folder` that this user may fill; of the nearest folder above it when it is not there. */
export function readFreeBytes(folder: string): number {
  const there = path.resolve(folder);
  if (!existsSync(there) && path.dirname(there) !== there) {
    return readFreeBytes(path.dirname(there));
  }
  const { bavail, bsize } = statfsSync(there);
  return bavail * bsize;
}

/** Throws AppError `disk_full` with what to do when `bytes` do not fit; `what` needs them. */
export function requireRoom(folder: string, bytes: number, what: string): void {
  const free = readFreeBytes(folder);
  if (free < bytes + reserveBytes) {
    throw new AppError(
      'disk_full',
      `the disk of ${folder} has ${formatSize(free)} free, ${what} needs ${formatSize(bytes + reserveBytes)}: nothing was changed; make room on it and try again`,
    );
  }
}

/**
 * The AppError for what was not written: `disk_full` when a disk has no room, else `backup_failed`. `code` says the same as
 * `message`, without the cause.
 */
export function toStorageFailure(message: string, code: FactCode, cause: unknown): AppError {
  const fact = createFact(code, describeCause(cause));
  return createRefusal(isDiskFull(cause) ? 'disk_full' : 'backup_failed', message, [fact], { cause });
}
