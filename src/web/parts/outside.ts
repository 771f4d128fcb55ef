// Untrusted text: names, notes, answers, messages. Hidden characters are made visible when it is shown.

/**
 * Escape sequences of terminals such as `ESC [31m`, control characters, direction marks, zero-width characters and lone
 * surrogates, but not line ends and tabs.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal sequence begins with one
const hidden = /(?:\u001b\[[0-?]*[ -/]*[@-~]|(?!\r?\n|\t)[\p{C}\p{Zl}\p{Zp}])+/gu;
/** Fast path: printable ASCII contains nothing hidden. */
const plain = /^[\n\t -~]*$/;
/** A name marked by `isolateName`. `visibleText` removes these noncharacters from untrusted text. */
export const marked = /\ufdd0([^\ufdd1]*)\ufdd1/g;

/** Replaces each run of hidden characters by U+FFFD. */
export function visibleText(text: string): string {
  return plain.test(text) ? text : text.replace(hidden, '\ufffd');
}

/** Marks a name within a sentence. It is rendered as `bdi`, so that its text direction does not affect the sentence. */
export function isolateName(name: string): string {
  return `\ufdd0${visibleText(name)}\ufdd1`;
}

/** Stands between two facts. The space before it does not break, so that no line begins with a dot. */
export const dot = '\u00a0· ';

/** Joins the known parts with dots; each is isolated like a name. */
export function joinWithDots(parts: readonly (string | null | undefined | false)[]): string {
  return parts.flatMap((part) => (part ? isolateName(part) : [])).join(dot);
}
