// Where the user's files are, and how one is replaced.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';

/** Readers see the old text or the new one, never a part. */
export function replaceFile(file: string, text: string, mode: number): void {
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { mode, flag: 'wx' });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
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
