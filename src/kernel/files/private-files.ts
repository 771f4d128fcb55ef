// Files with secrets: corrects their modes, and removes temporary files of killed processes.
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../errors.ts';
import { isProcessRunning } from './file-lock.ts';

/** Sets mode 0600 on `file` when others than its owner have rights on it; returns a sentence for the operator then. */
export function makePrivate(file: string): string | null {
  const mode = modeOf(file);
  if (mode === null || (mode & 0o077) === 0) {
    return null;
  }
  const was = `${file} had mode ${octal(mode)}: other users of this computer could read or change it`;
  try {
    chmodSync(file, 0o600);
    return `${was}; it has mode 0600 now`;
  } catch (error) {
    return `${was}, and it could not be made private (${messageOf(error)}): give it mode 0600`;
  }
}

/** Returns a sentence for the operator when others than the owner of `folder` may replace files in it. */
export function folderWarning(folder: string): string | null {
  const mode = modeOf(folder);
  return mode === null || (mode & 0o022) === 0
    ? null
    : `the data directory ${path.resolve(folder)} has mode ${octal(mode)}: other users of this computer can replace its files; make it private with chmod 700`;
}

/** Removes `FILE.PID.tmp` of `writeText` (files.ts) whose process has ended. */
export function removeStaleTempFiles(file: string): void {
  const folder = path.dirname(file);
  const start = `${path.basename(file)}.`;
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) ? /^([1-9]\d{0,9})\.tmp$/.exec(name.slice(start.length))?.[1] : undefined;
    // This process has written nothing yet: a file with its process id is left from an earlier process with the same id.
    if (pid !== undefined && (Number(pid) === process.pid || !isProcessRunning(Number(pid)))) {
      rmSync(path.join(folder, name), { force: true });
    }
  }
}

function modeOf(file: string): number | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : found.mode & 0o777;
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0');
