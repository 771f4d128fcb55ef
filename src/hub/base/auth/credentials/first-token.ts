// The file of the first admin token: once the token was used, the file is a copy in clear text that nobody needs.
import { existsSync, readFileSync } from 'node:fs';
import type { Log } from '#kernel/process/log.ts';
import { matchesHash } from '#kernel/text/secret.ts';
import type { SettingsDocument } from '../../settings/document.ts';
import { createStatement, type Statement } from '../../statements.ts';

export type FirstToken = ReturnType<typeof createFirstToken>;

export function createFirstToken(file: string, document: SettingsDocument, log: Log) {
  let isUsed = document.current().isFirstTokenUsed;
  /** Hash of the admin token for which `noteUse` has looked for the file. Each request with the token calls `noteUse`. */
  let askedFor: string | null = null;
  const holdsToken = () => {
    try {
      return matchesHash(readFileSync(file, 'utf8').trim(), document.current().adminTokenHash ?? '');
    } catch {
      // A file that exists and cannot be read may hold the token.
      return existsSync(file);
    }
  };
  const exposedFile = () => (isUsed && holdsToken() ? file : null);
  const warn = () => {
    if (exposedFile() !== null) {
      log.warn({}, describeExposure(file).sentence);
    }
  };
  warn();
  return {
    /** The file, when it still contains the valid admin token and that has been used; else null. Reads the file each time. */
    exposedFile,
    /** Call it with each use of the admin token. */
    noteUse() {
      const { adminTokenHash } = document.current();
      if (isUsed || askedFor === adminTokenHash) {
        return;
      }
      askedFor = adminTokenHash;
      if (!existsSync(file)) {
        return;
      }
      isUsed = true;
      try {
        document.update((all) => ({ ...all, isFirstTokenUsed: true }));
      } catch (error) {
        log.warn(
          { err: error },
          'the first use of the admin token was not noted, and will be at the next use after a restart',
        );
      }
      warn();
    },
  };
}

export function describeExposure(file: string): Statement {
  const sentence = `${file} holds the admin token in clear text, and the token has been used: store it in a password manager and delete the file, or run gatehouse reset-token`;
  return createStatement('token_exposed', sentence, { file });
}
