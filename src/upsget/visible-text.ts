// Text of others as it may be shown: a terminal, a log or a reader of our output must not obey it.

/**
 * U+FFFD for every character that is not seen: controls, which a terminal obeys; direction marks, which turn the text
 * around them; characters without width; line ends of Unicode; halves of surrogate pairs.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
