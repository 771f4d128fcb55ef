// The state between runs, in the user's folder: certificate pins, and a language to restore.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { getErrorCode } from './failure.ts';
import { homeFolder, replaceFile } from './files.ts';
import type { Environment } from './settings.ts';

export interface StateFile {
  readonly path: string;
  /** null when there is none. */
  read(): string | null;
  /** Replaces it atomically, mode 0600. */
  write(text: string): void;
  remove(): void;
}

/** `$XDG_STATE_HOME/upsget/NAME`, or below `~/.local/state`. */
export function openStateFile(env: Environment, name: string): StateFile {
  const base = env.XDG_STATE_HOME || homeFolder();
  const folder = path.join(base, ...(env.XDG_STATE_HOME ? [] : ['.local', 'state']), 'upsget');
  const file = path.join(folder, name);
  return {
    path: file,
    read() {
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') {
          return null;
        }
        throw error;
      }
    },
    write(text) {
      if (!existsSync(base)) {
        throw new Error(`the folder ${base} does not exist`);
      }
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(file, text, 0o600);
    },
    remove: () => rmSync(file, { force: true }),
  };
}
