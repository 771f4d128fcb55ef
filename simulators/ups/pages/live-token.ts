// A login page that was written elsewhere: the text of its button, and the form token of this session in it.
import { parse } from 'parse5';
import { findElements, getAttribute } from '../html-tree.ts';

/** Text of the button of a saved login page; null when it has none. */
export function findLoginText(page: string): string | null {
  const button = findElements(parse(page)).find((element) => getAttribute(element, 'name') === 'login');
  return button ? getAttribute(button, 'value') : null;
}

/** The page with `token` as the value of its form token input; unchanged when it has none. */
export function insertToken(page: string, token: string): string {
  const input = findElements(parse(page, { sourceCodeLocationInfo: true })).find(
    ({ nodeName, attrs }) =>
      nodeName === 'input' && attrs.some(({ name, value }) => name === 'name' && value === 'formtoken'),
  );
  const place = input?.sourceCodeLocation?.attrs?.value;
  return place ? `${page.slice(0, place.startOffset)}value="${token}"${page.slice(place.endOffset)}` : page;
}
