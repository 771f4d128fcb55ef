// Text of others as it may be shown: a terminal, a log or a reader of our output must not obey it.

/** White space, and characters of Unicode that format text without being seen, such as U+200B and the soft hyphen. */
const unseen = /[\s\p{Cf}]/u;

/** Without white space and unseen characters at both ends. */
export function trimmed(text: string): string {
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
 * U+FFFD for every character that is not seen: controls, which a terminal obeys; direction marks, which turn the text
 * around them; characters without width; line ends of Unicode; halves of surrogate pairs.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
