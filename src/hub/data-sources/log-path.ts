// Which files may be followed as logs: below folders for logs, also behind every symbolic link (wire contract 4.8).
import { realpath } from 'node:fs/promises';
import path from 'node:path';

const folders = ['/var/log/', '/private/var/log/', '/opt/homebrew/var/log/', '/usr/local/var/log/'];

/** The normalised path, or a sentence that says why it may not be followed. */
export type CheckedPath = { path: string } | { refusal: string };

/** `extra` are more folders the operator allows. Follows symbolic links as far as the file exists. */
export async function checkLogPath(text: string, extra: readonly string[]): Promise<CheckedPath> {
  const allowed = [...folders, ...extra.map((folder) => `${path.resolve(folder)}/`)];
  const normal = path.normalize(text);
  if (text.includes('\0') || text.split('/').includes('..') || !isBelow(normal, allowed)) {
    return { refusal: `logFile must be a file below ${allowed.join(', ')}, or a folder of MONITOR_LOG_PATH_PREFIXES` };
  }
  const real = await realPathOf(normal);
  const realAllowed = await Promise.all(allowed.map((folder) => realPathOf(folder)));
  return isBelow(real, [...allowed, ...realAllowed.map((folder) => `${folder}/`)])
    ? { path: normal }
    : { refusal: `logFile leads to ${real}, which is outside the folders for logs` };
}

function isBelow(file: string, allowed: readonly string[]): boolean {
  return allowed.some((folder) => file.startsWith(folder) && file.length > folder.length);
}

/** Of a file that is not there yet, the real path of the nearest folder with the rest behind it. */
async function realPathOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const parent = path.dirname(file);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === file) {
      return file;
    }
    return path.join(await realPathOf(parent), path.basename(file));
  }
}
