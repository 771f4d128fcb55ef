// Reads files with secrets or reports. A file that other users can access is refused.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** An error in a file or setting; the command prints the message and exits with 2. */
export class GateError extends Error {}

/**
 * Reads a file of at most `maxBytes` that belongs to the current user or root and that only its owner may read or
 * write. Throws a GateError that says what to do. Owner and mode are read from the open handle, which rules out a swap
 * in between.
 */
export function readPrivateFile(file: string, what: string, maxBytes = 1_048_576): string {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw new GateError(`${what} ${file} cannot be opened: does it exist, and may you read it?`, { cause });
  }
  try {
    const { mode, size, uid } = fstatSync(handle);
    const user = process.geteuid?.() ?? uid;
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
      throw new GateError(`${what} ${file} is not a regular file`);
    }
    if (uid !== user && uid !== 0) {
      throw new GateError(
        `${what} ${file} belongs to another user (${uid}), who can change it: chown ${user} ${file}, or run this as that user`,
      );
    }
    if ((mode & 0o077) !== 0) {
      throw new GateError(`${what} ${file} can be read or changed by others: chmod 600 ${file}`);
    }
    if (size > maxBytes) {
      throw new GateError(`${what} ${file} is larger than ${maxBytes} bytes`);
    }
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** Reads a regular file of at most a megabyte with any mode; null when there is none. */
export function readIfRegular(file: string): string | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'open') {
      return null;
    }
    throw error;
  }
  try {
    const { mode, size } = fstatSync(handle);
    const isRegular = (mode & constants.S_IFMT) === constants.S_IFREG;
    return isRegular && size <= 1_048_576 ? readFileSync(handle, 'utf8') : null;
  } finally {
    closeSync(handle);
  }
}

/** Reads a file without secrets. Throws a GateError when it cannot be read. */
export function readPublicFile(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GateError(`${what} ${file} cannot be read: does it exist?`, { cause });
  }
}
