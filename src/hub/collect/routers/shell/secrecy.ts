// Keeps the secrets of a router out of everything people may read of what it says: status, diagnostics, names, log.
// A device may echo a secret, whole or broken over lines; whatever text of it is shown goes through here first.

export type Secrecy = ReturnType<typeof createSecrecy>;

/**
 * With a shorter secret nearly every line would hold it by chance: then no line is quoted at all, and a name is left out
 * only when the secret stands in it as a word of its own.
 */
const shortest = 4;

/** A piece of a secret that is shorter tells nothing, and would hide nearly everything. */
const shortestPiece = 3;

/** Pieces of broken secrets remembered of one connection; a device that breaks them in more ways is not quoted any more. */
const maxPieces = 100;

/** From this length on, a text may have been cut, also inside a secret (reader.ts). */
const cutLength = 120;

/** `secrets` are the stored ones of this router; empty ones are none. */
export function createSecrecy(secrets: readonly string[]) {
  const given = [...new Set(secrets.filter((secret) => secret !== ''))];
  const short = given.filter((secret) => folded(secret).length < shortest);
  const long = [...new Set(given.flatMap(readings).map(folded))].filter(({ length }) => length >= shortest);
  const words = short.map((secret) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(secret)}(?![\\p{L}\\p{N}])`, 'iu'));
  const pairs = new Set(long.flatMap((secret) => Array.from(secret.slice(1), (next, at) => secret[at] + next)));
  const longest = Math.max(0, ...long.map(({ length }) => length));
  const pieces = new Set<string>();
  let isSilenced = false;
  let hasWithheld = false;
  /** Lines in a row that may hold one secret together, folded. */
  let joined: string[] = [];

  const hides = (text: string): boolean => {
    const plain = folded(text);
    const holds = (secret: string) => plain.includes(secret) || (text.length >= cutLength && endsInside(plain, secret));
    return isSilenced || long.some(holds) || [...pieces].some((piece) => plain.includes(piece));
  };

  const shown = (text: string, isHidden: boolean): string => {
    hasWithheld ||= isHidden && text !== '';
    return isHidden ? '' : text;
  };

  const notePieces = (): void => {
    const text = joined.join('');
    for (const secret of long) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
        const parts = splitRange(joined, at, at + secret.length);
        for (const part of parts.length > 1 ? parts : []) {
          pieces.add(part);
          isSilenced ||= part.length < shortestPiece || pieces.size > maxPieces;
        }
      }
    }
  };

  return {
    /** Notes a whole line of the device, so that a secret broken over several lines is known by its pieces. */
    watch(line: string): void {
      const first = edge(line, 0, 1);
      if (first === '' || longest === 0) {
        return;
      }
      const last = joined.at(-1);
      if (last !== undefined && pairs.has((edge(last, last.length - 1, -1) + first).toLowerCase())) {
        joined = [...joined.map(folded), folded(line)].slice(-longest);
        notePieces();
      } else {
        joined = [line];
      }
    },
    /** A quoted line of the device; `''` when it must not be shown. */
    line: (text: string) => shown(text, short.length > 0 || hides(text)),
    /** A name the device gives: itself, its model, an interface, a host; `''` when it must not be shown. */
    name: (text: string) => shown(text, words.some((word) => word.test(text)) || hides(text)),
    /** True once something was not shown. */
    hasWithheld: () => hasWithheld,
  };
}

/** What differs in nothing a reader would notice: case, blanks, invisible characters, and the dots put in their place. */
function folded(text: string): string {
  return text.toLowerCase().replace(/[\p{C}\p{Z}\s.\uFFFD]/gu, '');
}

/** The secret as it looks when its bytes are read in another character set. */
function readings(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return bytes.length === secret.length
    ? [secret]
    : [secret, ...['shift_jis', 'euc-jp', 'latin1'].map((label) => new TextDecoder(label).decode(bytes))];
}

/** The first character from `at` on in this direction that `folded` keeps; `''` when there is none. */
function edge(text: string, from: number, step: 1 | -1): string {
  for (let at = from; at >= 0 && at < text.length; at += step) {
    const code = text.charCodeAt(at);
    const isPlain = code > 0x20 && code < 0x7f && code !== 0x2e;
    if (isPlain || (code >= 0x7f && folded(text[at] ?? '') !== '')) {
      return text[at] ?? '';
    }
  }
  return '';
}

/** The text ends in the beginning of the secret. */
function endsInside(text: string, secret: string): boolean {
  for (let length = Math.min(secret.length - 1, text.length); length >= shortestPiece; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) {
      return true;
    }
  }
  return false;
}

/** What each of the lines holds of the characters `from` to `to` of all of them together. */
function splitRange(lines: readonly string[], from: number, to: number): string[] {
  let at = 0;
  return lines.flatMap((line) => {
    const part = line.slice(Math.max(0, from - at), Math.max(0, to - at));
    at += line.length;
    return part === '' ? [] : [part];
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
