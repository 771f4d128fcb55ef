// Files that people write by hand: a large one is a mistake, and is not read.
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';

const mostBytes = 2 ** 20;

/** The text of a file of at most 1 MB. Throws the error that `mistake` makes of the reason. */
export function readSmallFile(file: string, mistake: (reason: string) => Error): string {
  try {
    return readStart(file).toString('utf8');
  } catch (error) {
    throw mistake(`cannot be read: ${messageOf(error)}`);
  }
}

/** Throws when there are more bytes. A pipe or a device has no size, and may never end, so the bytes are counted. */
function readStart(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(mostBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      read = readSync(handle, bytes, length, bytes.length - length, null);
    }
    if (length > mostBytes) {
      throw new Error(`it has more than ${mostBytes} bytes`);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}
