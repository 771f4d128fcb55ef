// What a saved page has: every id with its element, and the label, unit and shape of text that go with it.
import { parse } from 'parse5';
import { type Element, findElements, getAttribute, getText } from '../html-tree.ts';

export interface IdentifiedElement {
  id: string;
  tag: string;
  className: string;
  /** Text of the element before it in the same row. */
  label: string;
  /** Text of the unit behind it. */
  unit: string;
  text: string;
  /** The text with every run of digits as `9`: `19.0` is `9.9`, and words are `text`. */
  shape: string;
}

/** Elements with an id, in document order; the first of each id. */
export function readInventory(html: string): readonly IdentifiedElement[] {
  const elements = findElements(parse(html));
  const seen = new Set<string>();
  return elements.flatMap((element) => {
    const id = getAttribute(element, 'id');
    if (id === null || id === '' || seen.has(id)) {
      return [];
    }
    seen.add(id);
    return [toIdentifiedElement(element, id)];
  });
}

function toIdentifiedElement(element: Element, id: string): IdentifiedElement {
  const siblings = (element.parentNode?.childNodes ?? []).filter((node): node is Element => 'tagName' in node);
  const at = siblings.indexOf(element);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  const isUnit = after !== undefined && /\bunit\b/i.test(getAttribute(after, 'class') ?? '');
  const text = element.tagName === 'input' ? inputText(element) : ownText(element);
  return {
    id,
    tag: element.tagName,
    className: getAttribute(element, 'class') ?? '',
    label: before ? getText(before) : '',
    unit: isUnit ? getText(after) : '',
    text,
    shape: toShape(text),
  };
}

/** What a person sees of an input; hidden ones hold tokens that differ each time. */
function inputText(element: Element): string {
  return getAttribute(element, 'type') === 'hidden' ? '' : (getAttribute(element, 'value') ?? '');
}

/** Text of an element that stands for itself; what holds elements with ids of their own has none. */
function ownText(element: Element): string {
  const holdsOthers = findElements(element).some((inner) => getAttribute(inner, 'id') !== null);
  return holdsOthers ? '' : getText(element);
}

function toShape(text: string): string {
  return /^[^\p{L}]*\d[^\p{L}]*$/u.test(text) ? text.replace(/\d+/g, '9') : text === '' ? 'nothing' : 'text';
}
