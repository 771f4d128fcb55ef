// Saves the display language while the UPS is in English, so that the next run can restore it after a `kill -9`.

import type { Environment } from './settings.ts';
import { openStateFile } from './state-folder.ts';

export interface LocaleMemory {
  /** The language that an earlier run did not restore; null when there is none. */
  unrestored(): string | null;
  /** Saves the language to restore; null deletes it. */
  remember(locale: string | null): void;
}

/** Best effort: when the folder is not writable, nothing is saved. */
export function createLocaleMemory(host: string, port: number, env: Environment): LocaleMemory {
  const file = openStateFile(env, `locale-${`${host}-${port}`.replace(/[^\w.-]/g, '_').toLowerCase()}`);
  let remembered = false;
  return {
    unrestored() {
      const text = attempt(() => file.read()?.trim()) ?? '';
      remembered = text !== '';
      return /^[\w-]{1,35}$/.test(text) ? text : null;
    },
    remember(locale) {
      if (locale !== null) {
        remembered = true;
        attempt(() => file.write(`${locale}\n`));
      } else if (remembered) {
        remembered = false;
        attempt(() => file.remove());
      }
    },
  };
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
