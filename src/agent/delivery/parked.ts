// Batches kept for inspection: refused by the hub, or damaged on disk. Beyond the bounds, the oldest is removed.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { moveFile } from '#kernel/files/files.ts';
import type { Log } from '#kernel/process/log.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import { type BatchFile, describeBatch, listBatches, openBatchFolder, sumBytes } from './spool-files.ts';

export function openParked(folder: string, maxBytes: number, log: Log) {
  openBatchFolder(folder);
  let removed = 0;
  const isTooMuch = (files: readonly BatchFile[]) =>
    files.length > limits.parkedBatches || (files.length > 1 && sumBytes(files) > maxBytes);
  return {
    /** The largest number of a batch; 0 when there is no batch. */
    lastNumber: () => listBatches(folder).at(-1)?.number ?? 0,
    /** Moves the file of a batch here. */
    take: (file: string, { name }: BatchFile) => moveFile(file, path.join(folder, name)),
    /** Removes the oldest ones beyond the bounds. */
    bound() {
      const files = listBatches(folder);
      for (let [oldest] = files; oldest !== undefined && isTooMuch(files); [oldest] = files) {
        log.warn(describeBatch(oldest), `the oldest batch in ${folder} is removed, because the folder is full`);
        rmSync(path.join(folder, oldest.name), { force: true });
        removed += 1;
        files.shift();
      }
    },
    count: () => listBatches(folder).length,
    /** How many were removed since the start of the program. */
    removed: () => removed,
  };
}
