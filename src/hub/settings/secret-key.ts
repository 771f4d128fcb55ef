// The key of stored secrets: a file of its own, so that a copy of monitor.json alone opens nothing.
import { readFileSync } from 'node:fs';
import { createText } from '#kernel/files.ts';
import { createKey } from '#kernel/secret.ts';

/** Reads the hex key in `file`, or makes one there, mode 0600. */
export function secretKey(file: string): string {
  try {
    const key = readFileSync(file, 'utf8').trim();
    if (!/^[0-9a-f]{64}$/.test(key)) {
      throw new Error(`${file} does not hold a key (64 hex digits): put the right file back`);
    }
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw error;
    }
    const key = createKey();
    createText(file, `${key}\n`);
    return key;
  }
}
