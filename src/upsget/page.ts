// What a page of the web UI holds: its language, the texts of its values by element id, the fields of its forms. All but the
// fields, which are sent back as they are, is visible text.
import { tokensOf } from './tokens.ts';
import { trimmed, visibleText } from './visible-text.ts';

export interface Page {
  /** `lang` of the html element, else its `xml:lang`, as pages that were XHTML have it. */
  lang: string | null;
  /** Every element id of the page. */
  ids: ReadonlySet<string>;
  /** Text of the elements that hold values, whitespace collapsed; an element without text is absent. In page order. */
  values: ReadonlyMap<string, string>;
  /** `value` of inputs and buttons by their name; the first of a name counts. */
  fields: ReadonlyMap<string, string>;
}

/** No value is longer; a text that is comes from a page that is not what it seems. */
const longestValue = 1000;
/** Values nested in values, which no real page has, are followed to this depth. */
const deepest = 32;

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
/** Ended by a sibling of the same name when their end tag is left out. */
const endsAtSibling: ReadonlySet<string> = new Set('td th tr li p dd dt option'.split(' '));

interface Capture {
  id: string;
  text: string;
}

interface OpenElement {
  name: string;
  capture: Capture | null;
}

/** Reads a page, also one that is cut or not well formed. */
export function parsePage(html: string): Page {
  let lang: string | null = null;
  let sawHtml = false;
  const ids = new Set<string>();
  const fields = new Map<string, string>();
  const captured: Capture[] = [];
  const tree = createOpenElements();
  for (const token of tokensOf(html)) {
    if (token.kind === 'text') {
      tree.text(token.text);
      continue;
    }
    if (token.kind === 'close') {
      tree.close(token.name);
      continue;
    }
    const { name, attributes } = token;
    if (name === 'html' && !sawHtml) {
      sawHtml = true;
      lang = languageIn(attributes.get('lang')) ?? languageIn(attributes.get('xml:lang'));
    }
    const id = visibleText(attributes.get('id') ?? '');
    const field = attributes.get('name') ?? '';
    if ((name === 'input' || name === 'button') && field !== '' && !fields.has(field)) {
      fields.set(field, attributes.get('value') ?? '');
    }
    let capture: Capture | null = null;
    if (id !== '' && !ids.has(id)) {
      ids.add(id);
      if (!voidElements.has(name) && holdsValue(id, attributes.get('class') ?? '')) {
        capture = { id, text: '' };
        captured.push(capture);
      }
    }
    if (!voidElements.has(name)) {
      tree.open(name, capture);
    }
  }
  const values = captured
    .map(({ id, text }): [string, string] => [id, visibleText(trimmed(text).replace(/[\s\u00a0]+/g, ' '))])
    .filter(([, text]) => text !== '' && text.length <= longestValue);
  return { lang, ids, values: new Map(values), fields };
}

function languageIn(attribute: string | undefined): string | null {
  return visibleText(trimmed(attribute ?? '')) || null;
}

/** By its id, or by the class that the product gives its values: so a renamed id is still seen. */
function holdsValue(id: string, className: string): boolean {
  return /^(?:value_.+|status\d+)$/.test(id) || className.split(/\s+/).includes('value');
}

/** The elements that are open at a point of the page, and the texts being collected. Every step takes constant time on average. */
function createOpenElements() {
  const stack: OpenElement[] = [];
  const openByName = new Map<string, number>();
  const capturing: Capture[] = [];
  const count = (name: string, change: number) => openByName.set(name, (openByName.get(name) ?? 0) + change);
  const pop = () => {
    const element = stack.pop();
    if (element) {
      count(element.name, -1);
      if (element.capture) {
        capturing.splice(capturing.indexOf(element.capture), 1);
      }
    }
    return element;
  };
  return {
    open(name: string, wanted: Capture | null) {
      if (endsAtSibling.has(name) && stack.at(-1)?.name === name) {
        pop();
      }
      const capture = wanted && capturing.length < deepest ? wanted : null;
      if (capture) {
        capturing.push(capture);
      }
      stack.push({ name, capture });
      count(name, 1);
    },
    /** An end tag that nothing opened is ignored; another one also ends what was left open within. */
    close(name: string) {
      if ((openByName.get(name) ?? 0) > 0) {
        while (pop()?.name !== name);
      }
    },
    text(part: string) {
      for (const capture of capturing) {
        if (capture.text.length <= longestValue) {
          capture.text += part;
        }
      }
    },
  };
}
