// Writes a capture, and removes it again when its files hold an original.
import { readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { createFile, isSystemError, isThere } from '#kernel/files/files.ts';
import { makeFolder } from '#kernel/files/make-folder.ts';
import type { Replacement } from './anonymise.ts';
import { type Bundle, type BundleIndex, indexName } from './bundle.ts';
import { findLeaks } from './leaks.ts';
import type { KnownWords } from './tokens.ts';

/** Makes `folder` and removes it again. Throws when it is there already or cannot be made. Call it before the login. */
export function requireNewFolder(folder: string): void {
  for (const made of makeNewFolder(folder).toReversed()) {
    rmdirSync(made);
  }
}

/** Returns what was made, missing parents first. */
function makeNewFolder(folder: string): string[] {
  if (isThere(folder)) {
    throw new Error(`${folder} is there already: name another folder with --out, or remove it`);
  }
  try {
    return makeFolder(folder);
  } catch (cause) {
    const reason = isSystemError(cause) ? cause.code : messageOf(cause);
    throw new Error(`${folder} cannot be made (${reason}): name another folder with --out`, { cause });
  }
}

/** Writes the bundle into a new folder. Throws, and removes the folder, when a file could not be written or holds an original. */
export function writeBundle(
  folder: string,
  { index, files }: Bundle,
  replacements: readonly Replacement[],
  words: KnownWords,
): void {
  const [outermost = folder] = makeNewFolder(folder);
  try {
    const written = [...files, [indexName, Buffer.from(`${JSON.stringify(index, null, 1)}\n`)] as const];
    for (const [name, bytes] of written) {
      createFile(path.join(folder, name), bytes);
    }
    const read = written.map(([name]) => ({ name, bytes: readWritten(path.join(folder, name)) }));
    const leaks = findLeaks(read, replacements, words);
    if (leaks.length > 0) {
      throw new Error(
        `the capture was removed again, because it could not be made anonymous: ${leaks.join('; ')}. Report which router it is, without the capture`,
      );
    }
  } catch (error) {
    rmSync(outermost, { recursive: true });
    throw error;
  }
}

/** Reads what the router said. Other words of capture.json, such as `bytes`, may be the name of a host by chance. */
function readWritten(file: string): Buffer {
  const bytes = readFileSync(file);
  if (path.basename(file) !== indexName) {
    return bytes;
  }
  const { model, ssh, greeting, exchanges } = JSON.parse(bytes.toString()) as BundleIndex;
  const prompts = exchanges.flatMap(({ promptBefore, promptAfter }) => [promptBefore, promptAfter]);
  return Buffer.from([model, ssh.identification, greeting.prompt, ...prompts].join('\n'), 'latin1');
}
