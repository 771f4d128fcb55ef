// Tokenises HTML into tags and texts, in one pass and linear time for any input.
import { decodeEntities } from './entities.ts';

export type Token =
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

/** Raw-text elements: their content is text up to their end tag. */
const rawText: ReadonlySet<string> = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'noscript',
  'template',
  'iframe',
]);

/** Yields no tokens for comments, declarations and raw text such as scripts. Names are in lower case. */
export function* parseTokens(html: string): Generator<Token> {
  let at = 0;
  while (at < html.length) {
    const bracket = html.indexOf('<', at);
    if (bracket !== at) {
      const end = bracket === -1 ? html.length : bracket;
      yield { kind: 'text', text: decodeEntities(html.slice(at, end)) };
      at = end;
    } else if (html.startsWith('<!--', at)) {
      at = skipComment(html, at + 4);
    } else if (/[!?]/.test(html.charAt(at + 1))) {
      at = skipPast(html, '>', at + 2);
    } else {
      const tag = parseTag(html, at);
      yield tag.token;
      at = tag.end;
      if (tag.token.kind === 'open' && rawText.has(tag.token.name)) {
        at = findRawTextEnd(html, tag.token.name, at);
      }
    }
  }
}

/** The index after `mark`, or the end of the page. */
function skipPast(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** The end of a comment that starts before `from`: `<!-->` and `<!--->` are complete, and `--!>` ends one as well. */
function skipComment(html: string, from: number): number {
  for (const whole of ['>', '->']) {
    if (html.startsWith(whole, from)) {
      return from + whole.length;
    }
  }
  const end = /--!?>/g;
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : html.length;
}

function findRawTextEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function parseTag(html: string, start: number): { token: Token; end: number } {
  const head = /<(\/?)([a-z][^\s/>]*)/iy;
  head.lastIndex = start;
  const found = head.exec(html);
  if (!found) {
    return { token: { kind: 'text', text: '<' }, end: start + 1 };
  }
  const name = (found[2] ?? '').toLowerCase();
  const { attributes, end } = parseAttributes(html, head.lastIndex);
  return { token: found[1] === '/' ? { kind: 'close', name } : { kind: 'open', name, attributes }, end };
}

/**
 * Attributes up to the `>` that ends the tag; of an attribute given twice the first counts, as in browsers. Each step
 * takes all separators at once, so that no run of them is read again.
 */
function parseAttributes(html: string, start: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>();
  const one = /[\s/=]*(?:(>)|([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*))?)?)/y;
  one.lastIndex = start;
  for (;;) {
    const found = one.exec(html);
    if (!found) {
      return { attributes, end: html.length };
    }
    const [, end, name = '', double, single, bare] = found;
    if (end !== undefined) {
      return { attributes, end: one.lastIndex };
    }
    const key = name.toLowerCase();
    if (!attributes.has(key)) {
      attributes.set(key, decodeEntities(double ?? single ?? bare ?? ''));
    }
  }
}
