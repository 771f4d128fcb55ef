// One file for each batch. The file name holds its place in the order, its id and the number of its observations.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { isSystemError, isThere } from '#kernel/files/files.ts';
import { parseJson } from '#kernel/text/json.ts';
import { type Batch, batch } from './batches.ts';

export interface BatchFile {
  name: string;
  number: number;
  batchId: string;
  bytes: number;
  /** Null for a file of an earlier version, whose name does not hold the number. */
  observations: number | null;
}

const digits = 12;
const pattern = /^(\d{12})-([\da-f-]{36})(?:-(\d+))?\.json$/;

export function nameBatchFile(number: number, { batchId, observations }: Batch): string {
  return `${String(number).padStart(digits, '0')}-${batchId}-${observations.length}.json`;
}

/** Creates a missing folder, and removes files that a killed program left incomplete. */
export function openBatchFolder(folder: string): BatchFile[] {
  return explainRefusal(`${folder} cannot be opened`, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.tmp'))) {
      rmSync(path.join(folder, name), { force: true });
    }
    return listBatches(folder);
  });
}

export const sumBytes = (files: readonly BatchFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

export const describeBatch = ({ batchId, observations }: BatchFile) => ({ batch: batchId, observations });

export function listBatches(folder: string): BatchFile[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const [, number, batchId = '', observations] = pattern.exec(name) ?? [];
      if (number === undefined) {
        return [];
      }
      const bytes = statSync(path.join(folder, name)).size;
      const count = observations === undefined ? null : Number(observations);
      return [{ name, number: Number(number), batchId, bytes, observations: count }];
    });
}

/** `damaged` when the file was read and holds no batch. Throws when it cannot be read: it may still be whole. */
export function readBatch(file: string): Batch | 'damaged' | 'missing' {
  return explainRefusal(`${file} cannot be read`, () => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      // If the folder is missing too, its disk may not be mounted: the file may still exist.
      if (isSystemError(error) && error.code === 'ENOENT' && isThere(path.dirname(file))) {
        return 'missing';
      }
      throw error;
    }
    return batch.safeParse(parseJson(text)).data ?? 'damaged';
  });
}

/** Runs `work`; turns an error of the system into an Error that says what to do. */
export function explainRefusal<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isSystemError(error)) {
      throw error;
    }
    const remedy = remedies[error.code ?? ''] ?? 'see that the disk is there, has room and works';
    throw new Error(`${what} (${messageOf(error)}): ${remedy}`, { cause: error });
  }
}

const ownership = 'give the folder of the Agent and all files in it to the user of the Agent (chown -R)';
const openFiles = 'let the Agent have more open files (LimitNOFILE= of its service, ulimit -n)';
const remedies: Readonly<Record<string, string>> = {
  EACCES: ownership,
  EPERM: ownership,
  EMFILE: openFiles,
  ENFILE: openFiles,
};
