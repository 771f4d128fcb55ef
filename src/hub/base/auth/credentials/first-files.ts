// Files that hold the first credentials until somebody has read them, when there is no terminal to show them on.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeText } from '#kernel/files/files.ts';
import type { Log } from '#kernel/process/log.ts';

export type FirstCredential = 'initial-admin-token' | 'initial-password';

/** Private files (mode 0600) in the folder of monitor.json. */
export type FirstFiles = ReturnType<typeof createFirstFiles>;

export function createFirstFiles(folder: string, log: Log) {
  const pathOf = (name: FirstCredential) => path.join(folder, name);
  return {
    pathOf,
    /** Replaces the file. Throws when it cannot be written. */
    keep: (name: FirstCredential, text: string) => writeText(pathOf(name), `${text}\n`),
    /** Removes the file of a credential that was used or replaced, if there is one; a failure is logged. */
    forget(name: FirstCredential) {
      const file = pathOf(name);
      try {
        rmSync(file, { force: true });
      } catch (error) {
        log.warn({ err: error }, `${file} holds a first credential and could not be removed: delete it`);
      }
    },
  };
}
