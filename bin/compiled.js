// Where Node keeps what it compiled of a program for the next start: plain JavaScript, any Node.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * The folder `name` in the cache of a service (systemd `CacheDirectory=`) or of the user, made when it is absent. Null where there is
 * none, where the environment names one to Node itself, and where somebody else could write to it: what lies in it is run.
 */
export function compiledFolder(name) {
  const { HOME, XDG_CACHE_HOME, CACHE_DIRECTORY, NODE_COMPILE_CACHE } = process.env;
  // A service has a folder from systemd and often no home.
  const given = CACHE_DIRECTORY?.split(':')[0] || XDG_CACHE_HOME;
  const base = given || (HOME && existsSync(HOME) ? path.join(HOME, '.cache') : '');
  if (NODE_COMPILE_CACHE || !path.isAbsolute(base)) {
    return null;
  }
  const folder = path.join(base, name);
  return isOurs(folder) ? folder : null;
}

function isOurs(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Without such a folder a start is only slower.
    return false;
  }
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}
