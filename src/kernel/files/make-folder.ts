// Makes the folders that people name in options and variables.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and its missing parents, for this user alone; one that is there stays as it is. Throws the error of the
 * system where that cannot be. `mkdirSync` of Node with `recursive` never ends below a folder that takes no children and
 * says that they are missing, such as `/proc`. Returns what was made, the outermost folder first.
 */
export function makeFolder(folder: string): string[] {
  const missing: string[] = [];
  const made: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) {
    missing.unshift(at);
  }
  for (const one of missing) {
    try {
      mkdirSync(one, { mode: 0o700 });
      made.push(one);
    } catch (error) {
      // Another process may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw error;
      }
    }
  }
  // All parents are there now: this only throws where the name is that of a file.
  mkdirSync(folder, { recursive: true });
  return made;
}
