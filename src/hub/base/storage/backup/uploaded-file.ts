// Stores a body as a file while it is worked on, and checks that it has all bytes.
import { rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { removeIfPossible } from '#kernel/files/files.ts';
import { type FileChecksum, receiveFile } from '#kernel/files/large-files.ts';
import { type PrepareTask, readUsableSchema } from '../restore/prepare.ts';
import type { toReplacementFiles } from '../restore/replacement.ts';
import { toStorageFailure } from '../room.ts';

/** Called with the step that begins. */
export type Report = (step: string) => void;
/** `task` prepares the uploaded file; `size` is its size in bytes. */
export type UploadWork<T> = (task: PrepareTask, size: number, report: Report) => Promise<T>;

interface Upload {
  body: Readable;
  /** What the body must have, lower-case hex. */
  sha256: string | null;
  files: Pick<ReturnType<typeof toReplacementFiles>, 'upload' | 'incoming'>;
  report: Report;
}

/** Receives a file, calls `work`, and removes the file. Rejects with AppError. */
export async function workOnUpload<T>({ body, sha256, files, report }: Upload, work: UploadWork<T>): Promise<T> {
  const source = files.upload;
  try {
    report('receiving');
    const { size } = await receiveUpload(body, source, sha256);
    const refusal = { code: 'upload_rejected', what: 'the uploaded file' } as const;
    // Rejects obviously wrong files before starting a thread.
    readUsableSchema(source, refusal);
    return await work({ source, refusal, target: files.incoming }, size, report);
  } finally {
    removeIfPossible(source);
  }
}

/** A body that ended early or is too long has an AppError of its own; any other error is one of the disk. */
async function receiveUpload(body: Readable, file: string, sha256: string | null): Promise<FileChecksum> {
  try {
    rmSync(file, { force: true });
    const received = await receiveFile(body, file);
    checkUpload(received, sha256);
    return received;
  } catch (error) {
    throw error instanceof AppError
      ? error
      : toStorageFailure(
          `the upload could not be stored (${messageOf(error)}): nothing was changed`,
          'upload_not_stored',
          error,
        );
  }
}

function checkUpload({ size, sha256 }: FileChecksum, expected: string | null): void {
  if (size < limits.uploadMinBytes) {
    throw new AppError('upload_rejected', `a database has more than ${size} bytes: send the raw file as body`);
  }
  if (expected !== null && expected !== sha256) {
    throw new AppError('digest_mismatch', 'the body is not what its Content-Digest says: send it again');
  }
}
