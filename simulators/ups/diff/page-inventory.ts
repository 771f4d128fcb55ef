// What a saved page has: every id with its element, and the label, unit and shape of text that go with it.
import { parse } from 'parse5';
import { attributeOf, type Element, elementsOf, textOf } from '../html-tree.ts';

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
export function inventoryOf(html: string): readonly IdentifiedElement[] {
  const elements = elementsOf(parse(html));
  const seen = new Set<string>();
  return elements.flatMap((element) => {
    const id = attributeOf(element, 'id');
    if (id === null || id === '' || seen.has(id)) {
      return [];
    }
    seen.add(id);
    return [described(element, id)];
  });
}

function described(element: Element, id: string): IdentifiedElement {
  const siblings = (element.parentNode?.childNodes ?? []).filter((node): node is Element => 'tagName' in node);
  const at = siblings.indexOf(element);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  const isUnit = after !== undefined && /\bunit\b/i.test(attributeOf(after, 'class') ?? '');
  const text = element.tagName === 'input' ? inputText(element) : ownText(element);
  return {
    id,
    tag: element.tagName,
    className: attributeOf(element, 'class') ?? '',
    label: before ? textOf(before) : '',
    unit: isUnit ? textOf(after) : '',
    text,
    shape: shapeOf(text),
  };
}

/** What a person sees of an input; hidden ones hold tokens that differ each time. */
function inputText(element: Element): string {
  return attributeOf(element, 'type') === 'hidden' ? '' : (attributeOf(element, 'value') ?? '');
}

/** Text of an element that stands for itself; what holds elements with ids of their own has none. */
function ownText(element: Element): string {
  const holdsOthers = elementsOf(element).some((inner) => attributeOf(inner, 'id') !== null);
  return holdsOthers ? '' : textOf(element);
}

function shapeOf(text: string): string {
  return /^[^\p{L}]*\d[^\p{L}]*$/u.test(text) ? text.replace(/\d+/g, '9') : text === '' ? 'nothing' : 'text';
}
