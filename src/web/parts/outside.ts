// Text that others chose: names, notes, answers, messages. What is drawn passes here, so that whatever hides in it is seen;
// what is stored stays as it is.
import { Fragment, h, options } from 'preact';

/** Controls, direction marks, what has no width, halves of characters; neither the end of a line nor a tab. */
const hidden = /(?:(?!\r?\n|\t)[\p{C}\p{Zl}\p{Zp}])+/gu;
/** A name in a sentence, between two noncharacters: `visible` leaves none in a text from outside. */
const marked = /\ufdd0([^\ufdd1]*)\ufdd1/g;

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

/** Has every text and attribute that Preact draws pass here; what is in a field is what will be sent. */
export function showHiddenCharacters(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    before?.(node);
    const drawn: { type: unknown; props: unknown } = node;
    if (typeof drawn.props === 'string') {
      const parts = drawn.props.split(marked);
      if (parts.length === 1) {
        drawn.props = visible(drawn.props);
      } else {
        drawn.type = Fragment;
        drawn.props = { children: parts.map((part, index) => (index % 2 ? h('bdi', null, part) : part)) };
      }
    } else if (typeof drawn.type === 'string') {
      const attributes = drawn.props as Record<string, unknown>;
      for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'string' && name !== 'value') {
          attributes[name] = visible(value.replace(marked, '$1'));
        }
      }
    }
  };
}
