// Remembers a display language while the UPS is switched to English, so that the run after a `kill -9` can put it back.

import type { Environment } from './settings.ts';
import { stateFile } from './state-folder.ts';

export interface LocaleMemory {
  /** What an earlier run left behind; null when all is well. */
  unrestored(): string | null;
  /** The language to put back, or null when it is back. */
  remember(locale: string | null): void;
}

/** A help, not a need: where nothing can be written, nothing is remembered. */
export function createLocaleMemory(host: string, port: number, env: Environment): LocaleMemory {
  const file = stateFile(env, `locale-${`${host}-${port}`.replace(/[^\w.-]/g, '_').toLowerCase()}`);
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
