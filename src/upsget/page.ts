// Parses a page of the web UI: language, values by element id, form fields. Invisible characters are replaced
// everywhere but in fields, which are sent back unchanged.
import { parseTokens } from './tokens.ts';
import { trimInvisible, visibleText } from './visible-text.ts';

export interface Page {
  /** `lang` of the html element, otherwise its `xml:lang` (XHTML). */
  lang: string | null;
  ids: ReadonlySet<string>;
  /** Text of the value elements in page order, whitespace collapsed; empty elements are absent. */
  values: ReadonlyMap<string, string>;
  /** `value` of inputs and buttons by name; the first of a name counts. */
  fields: ReadonlyMap<string, string>;
}

/** Maximum length of a value; longer texts are not from the status page. */
const longestValue = 1000;
/** Maximum depth of values nested in values. */
const deepest = 32;

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
/** Elements whose end tag is optional: a sibling of the same name ends them. */
const endsAtSibling: ReadonlySet<string> = new Set('td th tr li p dd dt option'.split(' '));

interface Capture {
  id: string;
  text: string;
}

interface OpenElement {
  name: string;
  capture: Capture | null;
}

export function parsePage(html: string): Page {
  let lang: string | null = null;
  let sawHtml = false;
  const ids = new Set<string>();
  const fields = new Map<string, string>();
  const captured: Capture[] = [];
  const tree = createOpenElements();
  for (const token of parseTokens(html)) {
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
      lang = toLanguage(attributes.get('lang')) ?? toLanguage(attributes.get('xml:lang'));
    }
    const id = visibleText(attributes.get('id') ?? '');
    const field = attributes.get('name') ?? '';
    if ((name === 'input' || name === 'button') && field !== '' && !fields.has(field)) {
      fields.set(field, attributes.get('value') ?? '');
    }
    let capture: Capture | null = null;
    if (id !== '' && !ids.has(id)) {
      ids.add(id);
      if (!voidElements.has(name) && isValueElement(id, attributes.get('class') ?? '')) {
        capture = { id, text: '' };
        captured.push(capture);
      }
    }
    if (!voidElements.has(name)) {
      tree.open(name, capture);
    }
  }
  const values = captured
    .map(({ id, text }): [string, string] => [id, visibleText(trimInvisible(text).replace(/[\s\u00a0]+/g, ' '))])
    .filter(([, text]) => text !== '' && text.length <= longestValue);
  return { lang, ids, values: new Map(values), fields };
}

function toLanguage(attribute: string | undefined): string | null {
  return visibleText(trimInvisible(attribute ?? '')) || null;
}

/** Detects values by id, or by the product's class for values, so that renamed ids are found. */
function isValueElement(id: string, className: string): boolean {
  return /^(?:value_.+|status\d+)$/.test(id) || className.split(/\s+/).includes('value');
}

/** The stack of open elements and the texts being collected. Each step is amortised constant time. */
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
    /** Ignores an unmatched end tag; a matched one also ends unclosed elements within. */
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
