// The key of stored secrets: a file of its own, so that a copy of monitor.json alone opens nothing.
import { readFileSync } from 'node:fs';
import { readJson, writeText } from '#kernel/files/files.ts';
import { createKey, isSealed } from '#kernel/text/secret.ts';

/**
 * Reads the hex key in `file`. A missing, empty or cut one is replaced, mode 0600, unless `settingsFile` holds secrets
 * that it sealed: then an Error says what to do, and both files stay as they are.
 */
export function secretKey(file: string, settingsFile: string): string {
  const stored = read(file);
  if (stored !== null && /^[0-9a-f]{64}$/.test(stored)) {
    return stored;
  }
  if (holdsSealed(readJson(settingsFile))) {
    const wrong = stored === null ? 'is missing' : 'does not hold a key (64 hex digits)';
    throw new Error(
      `${file} ${wrong}, and ${settingsFile} holds secrets sealed by it: put the secret.key of this data back from a backup, or move both files away to begin with new settings`,
    );
  }
  const key = createKey();
  writeText(file, `${key}\n`);
  return key;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/** Whether a text anywhere in it is sealed. */
function holdsSealed(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some(holdsSealed);
  }
  return typeof value === 'string' && isSealed(value);
}
