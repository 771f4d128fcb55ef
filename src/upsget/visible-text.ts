// Sanitises external text, so that it cannot control a terminal, a log or a reader of the output.

/** White space, and invisible formatting characters such as U+200B and the soft hyphen. */
const unseen = /[\s\p{Cf}]/u;

/** Removes white space and invisible characters at both ends. */
export function trimInvisible(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && unseen.test(text.charAt(from))) {
    from += 1;
  }
  while (to > from && unseen.test(text.charAt(to - 1))) {
    to -= 1;
  }
  return text.slice(from, to);
}

/**
 * Replaces every invisible character with U+FFFD: control characters, direction marks, zero-width characters, Unicode
 * line separators, lone surrogates.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
