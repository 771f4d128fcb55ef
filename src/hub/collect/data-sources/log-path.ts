// Which files may be followed as logs: below folders for logs, also behind every symbolic link
// (docs/reference/wire-contract/4-endpoints.md#48-general-configuration-and-data-sources).
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CauseCode } from '#contract/facts.ts';
import type { AppError } from '#kernel/errors.ts';
import { createFact, createRefusal } from '../../base/refusals.ts';

const folders = ['/var/log/', '/private/var/log/', '/opt/homebrew/var/log/', '/usr/local/var/log/'];

/** What is wrong with a path, such as `must be a file below …`, and its code. */
interface RefusedPath {
  refusal: string;
  problem: 'not_log_folder' | 'leads_outside';
}

/** `path` is normalised. */
export type CheckedPath = { path: string } | RefusedPath;

/** `extra` are more folders the operator allows. Follows symbolic links as far as the file exists. */
export async function checkLogPath(text: string, extra: readonly string[]): Promise<CheckedPath> {
  const found = await locate(text, extra);
  return 'refusal' in found ? found : { path: found.path };
}

/**
 * Opens a log for reading. What was opened is judged, not what the path named before or names after: whoever may write
 * to a folder for logs could swap the file in between. Rejects with the reason when it may not be followed or is no
 * regular file, and with the error of the system when it cannot be opened (`ENOENT` when it does not exist).
 */
export async function openLog(text: string, extra: readonly string[]): Promise<FileHandle> {
  const found = await locate(text, extra);
  if ('refusal' in found) {
    throw refuseLog(`logFile ${found.refusal}`, 'outside_log_folders');
  }
  const handle = await openItself(found.real);
  try {
    if (!(await handle.stat()).isFile()) {
      throw refuseLog('it is not a regular file', 'not_a_file');
    }
    if (!(await isAt(handle, found.real))) {
      throw new Error(changed);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refuseLog(message: string, cause: CauseCode): AppError {
  return createRefusal('log_path_rejected', message, [createFact('log_unreadable', { cause })]);
}

const changed = 'it changed while it was opened; it is tried again';

/** Not through a link, and without waiting: a pipe that nobody writes to would never open. */
async function openItself(real: string): Promise<FileHandle> {
  try {
    return await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') {
      throw error;
    }
    // A link that leads nowhere is a file that does not exist yet, and rejects as one.
    await stat(real);
    throw new Error(changed, { cause: error });
  }
}

/** Whether the opened file is the one at `real`. */
async function isAt(handle: FileHandle, real: string): Promise<boolean> {
  if (process.platform === 'linux') {
    return (await readlink(`/proc/self/fd/${handle.fd}`)) === real;
  }
  const [opened, named] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })]);
  return opened.dev === named.dev && opened.ino === named.ino;
}

/** The normalised path and where it leads to. */
async function locate(text: string, extra: readonly string[]): Promise<{ path: string; real: string } | RefusedPath> {
  const allowed = [...folders, ...extra.map((folder) => `${path.resolve(folder)}/`)];
  const normal = path.normalize(text);
  if (text.includes('\0') || text.split('/').includes('..') || !isBelow(normal, allowed)) {
    const refusal = `must be a file below ${allowed.join(', ')}, or a folder of MONITOR_LOG_PATH_PREFIXES`;
    return { refusal, problem: 'not_log_folder' };
  }
  const real = await resolveRealPath(normal);
  const realAllowed = await Promise.all(allowed.map((folder) => resolveRealPath(folder)));
  return isBelow(real, [...allowed, ...realAllowed.map((folder) => `${folder}/`)])
    ? { path: normal, real }
    : { refusal: `leads to ${real}, which is outside the folders for logs`, problem: 'leads_outside' };
}

function isBelow(file: string, allowed: readonly string[]): boolean {
  return allowed.some((folder) => file.startsWith(folder) && file.length > folder.length);
}

/** Of a file that is not there or cannot be reached, the real path of the nearest folder with the rest behind it. */
async function resolveRealPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return path.join(await resolveRealPath(path.dirname(file)), path.basename(file));
  }
}
