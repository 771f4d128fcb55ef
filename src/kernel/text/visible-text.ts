// Sanitises untrusted text for display, logs and storage: no terminal, browser or reader may interpret it.

/** Fast path: matches nearly all texts. */
const plain = /^[\x20-\x7e]*$/;
/** Controls, direction marks, what has no width, halves of surrogate pairs, line ends of Unicode. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * `text` with `instead` for each run of invisible characters, cut to `maxLength` UTF-16 units without splitting
 * a character. Emoji that are joined by zero-width joiners fall apart: what hides a joiner could hide anything.
 */
export function visibleText(text: string, maxLength: number, instead = '\ufffd'): string {
  if (plain.test(text)) {
    return text.slice(0, maxLength);
  }
  const seen = text.replace(unseen, instead);
  return seen.length <= maxLength ? seen : seen.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}
