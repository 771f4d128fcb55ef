// Reads files that people hand over. One that is too large is a mistake, and no more of it is read than may be used.
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';

const usualBytes = 2 ** 20;
const chunkBytes = 2 ** 20;

/** The text of a file of at most `most` bytes, 1 MB when absent. Throws the error that `mistake` makes of the reason. */
export function readBoundedFile(file: string, mistake: (reason: string) => Error, most = usualBytes): string {
  try {
    return readStart(file, most).toString('utf8');
  } catch (error) {
    throw mistake(`cannot be read: ${messageOf(error)}`);
  }
}

/** Throws when there are more bytes. A pipe or a device has no size, and may never end, so the bytes are counted. */
function readStart(file: string, most: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, most + 1 - length));
      read = readSync(handle, chunk);
      chunks.push(chunk.subarray(0, read));
    }
    if (length > most) {
      throw new Error(`it has more than ${most} bytes`);
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(handle);
  }
}
