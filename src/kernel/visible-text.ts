// Text of others as it may be shown, logged and stored: a terminal, a browser or a reader must not obey it.

/** Nearly all texts, and quick to see. */
const plain = /^[\x20-\x7e]*$/;
/** Controls, direction marks, what has no width, halves of surrogate pairs, line ends of Unicode. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * `text` with `instead` for each run of characters that are not seen, cut to `maxLength` UTF-16 units without halving
 * a character. Emoji that are joined by zero-width joiners fall apart: what hides a joiner could hide anything.
 */
export function visibleText(text: string, maxLength: number, instead = '\ufffd'): string {
  if (plain.test(text)) {
    return text.slice(0, maxLength);
  }
  const seen = text.replace(unseen, instead);
  return seen.length <= maxLength ? seen : seen.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
