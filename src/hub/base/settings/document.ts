// The settings document: monitor.json, mode 0600. A failed save leaves the file and the memory unchanged.
import { AppError, messageOf } from '#kernel/errors.ts';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { firstProblem, readInput } from '#kernel/text/problem.ts';
import { keyedHash, seal, unseal } from '#kernel/text/secret.ts';
import { emptySettings, type Settings, settingsSchema, upgradeSettings } from './schema.ts';
import { mapSecrets } from './secrets.ts';

export type SettingsDocument = ReturnType<typeof openDocument>;

/**
 * Reads `file`, or starts with empty settings when there is no file. `key`, 64 hex digits, decrypts the stored secrets.
 * Throws an Error that names the file when it is damaged or was encrypted with another key.
 */
export function openDocument(file: string, key: string) {
  const stored = readJson(file);
  let current = stored === undefined ? emptySettings() : readSettings(file, stored, key);
  return {
    file,
    current: () => current,
    /** A key of 64 hex digits for one purpose: the same at every start, until the key of the document is another one. */
    deriveKey: (purpose: string) => keyedHash(purpose, key),
    /** Saves the settings that `change` returns. Throws AppError `save_failed` when the file cannot be written. */
    update(change: (settings: Settings) => Settings) {
      const next = change(current);
      try {
        const sealed = mapSecrets(next, (text) => seal(text, key));
        writeJson(file, sealed);
      } catch (cause) {
        throw new AppError(
          'save_failed',
          `the settings could not be saved (${messageOf(cause)}): nothing was changed`,
          { cause },
        );
      }
      current = next;
      return next;
    },
  };
}

function readSettings(file: string, stored: unknown, key: string): Settings {
  const parsed = readInput(settingsSchema, upgradeSettings(stored));
  if (!parsed.success) {
    const problem = firstProblem(parsed.error, 'the document');
    throw new Error(`${file} does not hold valid settings (${problem}): correct it, or restore it from a backup`);
  }
  return mapSecrets(parsed.data, (text) => unsealSecret(text, key, file));
}

function unsealSecret(text: string, key: string, file: string): string {
  try {
    return unseal(text, key);
  } catch (cause) {
    throw new Error(`the secrets in ${file} cannot be decrypted with this key: restore the key that encrypted them`, {
      cause,
    });
  }
}
