// Text that others chose: names, notes, answers, messages. What is drawn passes here, so that whatever hides in it is seen;
// what is stored stays as it is.
import { Fragment, h, options } from 'preact';

const harmless = /^[\n\t\x20-\x7e]*$/;
/** Controls, direction marks, what has no width, halves of characters. */
const hidden = /(?:(?![\n\t])[\p{C}\p{Zl}\p{Zp}])+/gu;
/** Around a name in a sentence. Noncharacters: `visible` leaves none in a text from outside. */
const marks = { begin: '\ufdd0', end: '\ufdd1' };
const markedName = /\ufdd0([^\ufdd0\ufdd1]*)\ufdd1/;
/** Attributes that people see or hear. */
const shownAttributes = ['title', 'aria-label', 'alt', 'placeholder', 'data-label'] as const;

/** `text` with a replacement character for each run of hidden ones. */
export function visible(text: string): string {
  return harmless.test(text) ? text : text.replaceAll('\r\n', '\n').replace(hidden, '\ufffd');
}

/** A name for a sentence: where that is drawn, the name is a `bdi` element, and its direction ends with it. */
export function isolated(name: string): string {
  return `${marks.begin}${visible(name)}${marks.end}`;
}

/** What is known, each part isolated, with dots between. */
export function dotted(parts: readonly (string | null | undefined | false)[]): string {
  return parts
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => isolated(String(part)))
    .join(' · ');
}

/** Has every text and attribute that Preact draws pass here. */
export function showHiddenCharacters(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    before?.(node);
    const drawn: { type: unknown; props: unknown } = node;
    if (typeof drawn.props === 'string') {
      Object.assign(drawn, textNode(drawn.props));
    } else if (typeof drawn.type === 'string') {
      cleanAttributes(drawn.props as Record<string, unknown>);
    }
  };
}

/** The text, or its parts where names are marked in it. */
function textNode(text: string): { props: unknown; type?: unknown } {
  if (harmless.test(text)) {
    return { props: text };
  }
  const parts = text.split(markedName);
  return parts.length === 1
    ? { props: visible(text) }
    : {
        type: Fragment,
        props: { children: parts.map((part, index) => (index % 2 === 1 ? h('bdi', null, part) : part)) },
      };
}

function cleanAttributes(attributes: Record<string, unknown>): void {
  for (const name of shownAttributes) {
    const value = attributes[name];
    if (typeof value === 'string' && !harmless.test(value)) {
      attributes[name] = visible(value.replaceAll(marks.begin, '').replaceAll(marks.end, ''));
    }
  }
}
