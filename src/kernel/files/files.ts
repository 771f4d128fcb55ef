// Private JSON files: atomic replacement, readable by the owner alone.
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** Replaces `file` with `value` as JSON, as `writeText` does. */
export function writeJson(file: string, value: unknown): void {
  writeText(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Replaces `file`, mode 0600: temporary file, fsync, rename, fsync of the folder where that is possible. Throws when not
 * every byte could be written: `file` is unchanged then, and the temporary file is removed. Hub, MCP server and gate replace
 * their own files only by this function (scripts/architecture.ts).
 */
export function writeText(file: string, text: string): void {
  replaceFile(file, [Buffer.from(text)], { isSynced: true });
}

/**
 * As `writeText`, from parts. Not synced, a power failure may leave any content: for files that say by a checksum whether
 * they are whole.
 */
export function replaceFile(file: string, parts: Iterable<Uint8Array>, { isSynced }: { isSynced: boolean }): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // A run that was killed may have left one.
    rmSync(temporary, { force: true });
    make(temporary, parts, isSynced);
    moveFile(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritten(file, error);
  }
}

/**
 * Writes `text` over a file that may belong to another program: the same file stays, with its mode and owner. A new file
 * has mode 0600. Throws when not every byte could be written: the file is empty then.
 */
export function overwriteText(file: string, text: string): void {
  const handle = openSync(file, 'w', 0o600);
  try {
    writeAll(handle, Buffer.from(text));
    fsyncSync(handle);
  } catch (error) {
    ftruncateSync(handle);
    throw notWritten(file, error);
  } finally {
    closeSync(handle);
  }
}

/** The file has its new name whether or not the folder can be synced: SQLite passes over this error too (os_unix.c). */
function syncIfPossible(folder: number): void {
  try {
    fsyncSync(folder);
  } catch {
    // The file was replaced: an error would tell the caller that nothing was changed.
  }
}

/** Removes a file after a failure, and ignores errors: they would hide that failure. The next start removes what is left. */
export function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The caller reports the failure that came first.
  }
}

/** Moves a file within a file system, replacing `target`, and syncs that folder where possible. When it throws, nothing has moved. */
export function moveFile(file: string, target: string): void {
  const folder = openSync(path.dirname(target), 'r');
  try {
    renameSync(file, target);
    syncIfPossible(folder);
  } finally {
    closeSync(folder);
  }
}

/** Creates `file`, mode 0600, and syncs it. Throws when it exists. Removes it when it could not be written completely. */
export function createText(file: string, text: string): void {
  createFile(file, Buffer.from(text));
}

/** As `createText`, for bytes. */
export function createFile(file: string, bytes: Uint8Array): void {
  try {
    make(file, [bytes], true);
  } catch (error) {
    throw notWritten(file, error);
  }
}

function make(file: string, parts: Iterable<Uint8Array>, isSynced: boolean): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    for (const part of parts) {
      writeAll(handle, part);
    }
    if (isSynced) {
      fsyncSync(handle);
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** Adds the name of the file to the error of a full disk or quota. Returns any other error unchanged. */
export function notWritten(file: string, error: unknown): unknown {
  return isDiskFull(error)
    ? new Error(`${file} could not be written: the disk is full; make room on it and try again`, { cause: error })
    : error;
}

/** Whether a disk or a quota has no room, as the system, SQLite or `notWritten` says it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { code } = error as NodeJS.ErrnoException;
  return ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code ?? '') || isDiskFull(error.cause);
}

/** One write may take only a part (write(2)): a disk that is nearly full, a quota, a limit of the size of files. */
function writeAll(handle: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(handle, bytes, at);
  }
}

/** Whether the file or folder exists. Throws when the system does not say, since that does not mean that it is absent. */
export function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Whether the system refused a call, such as a read. The content of the file is unknown then, not damaged. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined;
}

/** The result of `read`; `absent` when it fails with one of `codes`. */
export function ifThere<T, A>(read: () => T, absent: A, codes: readonly string[] = ['ENOENT']): T | A {
  try {
    return read();
  } catch (error) {
    if (codes.includes(String((error as NodeJS.ErrnoException).code))) {
      return absent;
    }
    throw error;
  }
}

/** The JSON value in `file`; `undefined` when the file does not exist. Throws when it cannot be read or is not JSON. */
export function readJson(file: string): unknown {
  const text = ifThere(() => readFileSync(file, 'utf8'), undefined);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON: restore it from a backup, or move it away to start anew`, { cause });
  }
}

/** The names in `folder`; empty when the folder does not exist. */
export function namesIn(folder: string): string[] {
  return ifThere(() => readdirSync(folder), [], ['ENOENT', 'ENOTDIR']);
}
