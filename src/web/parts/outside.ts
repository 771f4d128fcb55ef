// Text that others chose: names, notes, answers, messages. Whatever hides in it is shown; what is stored stays as it is.

/** Controls, direction marks, what has no width, halves of characters; neither the end of a line nor a tab. */
const hidden = /(?:(?!\r?\n|\t)[\p{C}\p{Zl}\p{Zp}])+/gu;
/** Most texts: they need no search for hidden characters. */
const plain = /^[\n\t -~]*$/;
/** A name in a sentence, between two noncharacters: `visibleText` leaves none in a text from outside. */
export const marked = /\ufdd0([^\ufdd1]*)\ufdd1/g;

/** `text` with a replacement character for each run of hidden ones. */
export function visibleText(text: string): string {
  return plain.test(text) ? text : text.replace(hidden, '\ufffd');
}

/** Marks a name in a sentence: where the sentence is drawn, the name is a `bdi` element, and its direction ends with it. */
export function isolateName(name: string): string {
  return `\ufdd0${visibleText(name)}\ufdd1`;
}

/** The parts that are known, each as a name of its own, with dots between. */
export function joinWithDots(parts: readonly (string | null | undefined | false)[]): string {
  return parts.flatMap((part) => (part ? isolateName(part) : [])).join(' · ');
}
