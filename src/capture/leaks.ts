// Searches the files of a capture for originals: the last step before somebody may send it.
import { isIdentifying, type Replacement, toCanonical } from './anonymise.ts';
import { findTokens, isDistinctive, type KnownWords } from './tokens.ts';

/** Returns a sentence for each file that holds an original or a secret. No sentence quotes one. */
export function findLeaks(
  files: readonly { name: string; bytes: Uint8Array }[],
  replacements: readonly Replacement[],
  words: KnownWords,
): string[] {
  const originals = new Set(
    replacements
      .filter(({ kind, from }) => isIdentifying(kind, from))
      .map(({ kind, from }) => `${kind} ${toCanonical(kind, from)}`),
  );
  return files.flatMap(({ name, bytes }) => {
    const text = Buffer.from(bytes).toString('latin1');
    const found = findTokens(text, words).find(({ kind, text: found }) => {
      return kind === 'secret' || originals.has(`${kind} ${toCanonical(kind, found)}`);
    });
    const joined = text.replace(/[\r\n]/g, '');
    const isSpread = words.secrets.some((secret) => isDistinctive(secret) && joined.includes(secret));
    return found || isSpread ? [`${name} holds ${isSpread || !found ? 'a secret' : `an original ${found.kind}`}`] : [];
  });
}
