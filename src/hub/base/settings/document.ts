// The settings document: monitor.json, mode 0600. A failed save leaves the file and the memory unchanged.
import { AppError, messageOf } from '#kernel/errors.ts';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { readInput } from '#kernel/text/problem.ts';
import { seal, unseal } from '#kernel/text/secret.ts';
import { emptySettings, type Settings, settings, upgraded } from './schema.ts';
import { mapSecrets } from './secrets.ts';

export type SettingsDocument = ReturnType<typeof openDocument>;

/** Reads `file`, or starts with empty settings. `key` opens the stored secrets. Throws when the file is damaged. */
export function openDocument(file: string, key: string) {
  const stored = readJson(file);
  let current = stored === undefined ? emptySettings() : mapSecrets(readSettings(file, stored), opener(file, key));
  return {
    file,
    current: () => current,
    /** Saves the settings that `change` returns. Throws AppError `save_failed` and keeps the old ones when it cannot. */
    update(change: (settings: Settings) => Settings) {
      const next = change(current);
      try {
        writeJson(
          file,
          mapSecrets(next, (text) => seal(text, key)),
        );
      } catch (cause) {
        throw new AppError(
          'save_failed',
          `the settings could not be saved (${messageOf(cause)}): nothing was changed`,
          {
            cause,
          },
        );
      }
      current = next;
      return next;
    },
  };
}

function readSettings(file: string, stored: unknown): Settings {
  const parsed = readInput(settings, upgraded(stored));
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new Error(`${file} does not hold valid settings (at "${where}"): restore it from a backup`);
  }
  return parsed.data;
}

function opener(file: string, key: string) {
  return (text: string) => {
    try {
      return unseal(text, key);
    } catch (cause) {
      throw new Error(`the secrets in ${file} cannot be opened with this key: put the secret.key of this data back`, {
        cause,
      });
    }
  };
}
