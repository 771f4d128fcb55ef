// Puts the form token of this session into a page that was written elsewhere.
import { parse } from 'parse5';
import { elementsOf } from './html-tree.ts';

/** The page with `token` as the value of its form token input; unchanged when it has none. */
export function withLiveToken(page: string, token: string): string {
  const input = elementsOf(parse(page, { sourceCodeLocationInfo: true })).find(
    ({ nodeName, attrs }) =>
      nodeName === 'input' && attrs.some(({ name, value }) => name === 'name' && value === 'formtoken'),
  );
  const place = input?.sourceCodeLocation?.attrs?.value;
  return place ? `${page.slice(0, place.startOffset)}value="${token}"${page.slice(place.endOffset)}` : page;
}
