// Atomic replacement of files, and the home folder.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Replaces a file atomically, also across a power failure. When it throws, the old file is unchanged. No other code in
 * upsget replaces files (scripts/architecture.ts).
 */
export function replaceFile(file: string, text: string, mode: number): void {
  const next = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeWhole(next, text, mode);
    renameSync(next, file);
    syncIfPossible(path.dirname(file));
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function writeWhole(file: string, text: string, mode: number): void {
  const handle = openSync(file, 'wx', mode);
  try {
    // A write may be partial (write(2)).
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(handle, bytes, at);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Syncs the folder where supported (not on Windows); the rename is done either way. */
function syncIfPossible(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The file is replaced: a failure to sync the folder is no failure of the replacement.
  }
}

/** The home folder; the root folder for users without one, as in some containers. */
export function homeFolder(): string {
  try {
    return os.homedir();
  } catch {
    return '/';
  }
}
