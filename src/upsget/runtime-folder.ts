// The runtime folder of the user, which no other user can write to or create unnoticed.
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Failure, getErrorCode, messageOf } from './failure.ts';
import type { Environment } from './settings.ts';

/**
 * `upsget` in `$XDG_RUNTIME_DIR` (or `/run/user/UID`) when that is private to this user, otherwise `upsget-UID` in the
 * folder for temporary files, which another user may have created first. Throws a Failure when it is not private.
 */
export function runtimeFolder(env: Environment): string {
  const uid = process.getuid?.();
  if (uid === undefined) {
    // On Windows, the folder for temporary files belongs to the user.
    return createFolder(path.join(tmpdir(), 'upsget'));
  }
  const own = env.XDG_RUNTIME_DIR || `/run/user/${uid}`;
  const isOwn = path.isAbsolute(own) && findFault(own, uid) === null;
  const folder = createFolder(isOwn ? path.join(own, 'upsget') : path.join(tmpdir(), `upsget-${uid}`));
  const fault = findFault(folder, uid);
  if (fault !== null) {
    throw new Failure(
      `the folder ${folder}, which holds the lock of upsget, ${fault}; remove it, or set XDG_RUNTIME_DIR to a folder of your own with mode 700`,
    );
  }
  return folder;
}

function createFolder(folder: string): string {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') {
      throw new Failure(
        `the folder ${folder}, which holds the lock of upsget, cannot be created: ${messageOf(error)}; set XDG_RUNTIME_DIR to a folder of your own with mode 700`,
        { cause: error },
      );
    }
  }
  return folder;
}

/** Why other users could write there, otherwise null. A symbolic link is rejected: its target may change. */
function findFault(folder: string, uid: number): string | null {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) {
    return 'is no folder';
  }
  if (found.uid !== uid) {
    return 'belongs to another user';
  }
  return (found.mode & 0o077) === 0 ? null : 'is open to other users';
}
