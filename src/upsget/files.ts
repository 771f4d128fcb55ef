// Where the user's files are, and how one is replaced.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Readers see the old text or the new one, never a part, also after a power cut. Throws when not every byte could be
 * written; then the old file is whole. The only way to replace a file in upsget (scripts/architecture.ts).
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
    // One write may take only a part (write(2)).
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(handle, bytes, at);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The file has its new name whether or not the folder can be synced; Windows opens no folders. */
function syncIfPossible(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // A failure reported here would say that the file was not replaced.
  }
}

/** The user's folder; the root folder for a user without one, as in some containers. */
export function homeFolder(): string {
  try {
    return os.homedir();
  } catch {
    return '/';
  }
}
