// Text that others chose: names, notes, answers, messages. Whatever hides in it is shown; what is stored stays as it is.

/** Controls, direction marks, what has no width, halves of characters; neither the end of a line nor a tab. */
const hidden = /(?:(?!\r?\n|\t)[\p{C}\p{Zl}\p{Zp}])+/gu;
/** A name in a sentence, between two noncharacters: `visible` leaves none in a text from outside. */
export const marked = /\ufdd0([^\ufdd1]*)\ufdd1/g;

/** `text` with a replacement character for each run of hidden ones. */
export function visible(text: string): string {
  return text.replace(hidden, '\ufffd');
}

/** A name for a sentence: where that is drawn, the name is a `bdi` element, and its direction ends with it. */
export function isolated(name: string): string {
  return `\ufdd0${visible(name)}\ufdd1`;
}

/** What is known, each part isolated, with dots between. */
export function dotted(parts: readonly (string | null | undefined | false)[]): string {
  return parts.flatMap((part) => (part ? isolated(part) : [])).join(' · ');
}
