// Reads regular files of a bounded size. One with secrets is refused when other users can access it.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** An error in a file or setting; the command prints the message and exits with 2. */
export class GateError extends Error {}

const megabyte = 1_048_576;

/**
 * Reads a file of at most `maxBytes` that belongs to the current user or root and that only its owner may read or
 * write. Throws a GateError that says what to do. Owner and mode are read from the open handle, which rules out a swap
 * in between.
 */
export function readPrivateFile(file: string, what: string, maxBytes = megabyte): string {
  return readRegular(file, what, maxBytes, ({ mode, uid }) => {
    const user = process.geteuid?.() ?? uid;
    if (uid !== user && uid !== 0) {
      throw new GateError(
        `${what} ${file} belongs to another user (${uid}), who can change it: chown ${user} ${file}, or run this as that user`,
      );
    }
    if ((mode & 0o077) !== 0) {
      throw new GateError(`${what} ${file} can be read or changed by others: chmod 600 ${file}`);
    }
  }).toString('utf8');
}

/** Reads a regular file of at most a megabyte with any mode; null when there is none. */
export function readIfRegular(file: string): string | null {
  try {
    return readPublicFile(file, 'the file');
  } catch (error) {
    if (error instanceof GateError) {
      return null;
    }
    throw error;
  }
}

/** Reads a file without secrets, of at most a megabyte. Throws a GateError when it cannot be read. */
export function readPublicFile(file: string, what: string): string {
  return readPublicBytes(file, what, megabyte).toString('utf8');
}

export function readPublicBytes(file: string, what: string, maxBytes: number): Buffer {
  return readRegular(file, what, maxBytes, () => undefined);
}

/** Never waits: a FIFO that nobody writes into, and a device, are refused as what they are. */
function readRegular(file: string, what: string, maxBytes: number, judge: (stats: Stats) => void): Buffer {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw new GateError(`${what} ${file} cannot be opened: does it exist, and may you read it?`, { cause });
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) {
      throw new GateError(`${what} ${file} is not a regular file`);
    }
    judge(stats);
    if (stats.size > maxBytes) {
      throw new GateError(`${what} ${file} is larger than ${maxBytes} bytes: is it another file?`);
    }
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
