// Writes HTML elements in the ways a product may write them: quotes, case, order of attributes.

/** How tags that carry data are written; all of it is the same HTML to a browser. */
export const styles = ['plain', 'reordered', 'single-quotes', 'no-quotes', 'upper-case'] as const;
export type Style = (typeof styles)[number];

export type Attributes = readonly (readonly [name: string, value: string])[];

/** A start tag; void elements of the style `single-quotes` close themselves. */
export function openTag(name: string, attributes: Attributes, style: Style = 'plain'): string {
  const given = style === 'reordered' ? attributes.toReversed() : attributes;
  const texts = given.map(
    ([key, value]) => ` ${style === 'upper-case' ? key.toUpperCase() : key}=${quoted(value, style)}`,
  );
  const closing = style === 'single-quotes' && name === 'input' ? ' />' : '>';
  return `<${tagName(name, style)}${texts.join('')}${closing}`;
}

export function closeTag(name: string, style: Style = 'plain'): string {
  return `</${tagName(name, style)}>`;
}

function tagName(name: string, style: Style): string {
  return style === 'upper-case' ? name.toUpperCase() : name;
}

function quoted(value: string, style: Style): string {
  if (style === 'no-quotes' && /^[\w.:/-]+$/.test(value)) {
    return value;
  }
  // A `>` may stand in an attribute, and there it hides the end of a tag from simple readers.
  const text = escapeHtml(value).replaceAll('&gt;', '>');
  return style === 'single-quotes' ? `'${text}'` : `"${text}"`;
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for element content and for quoted attributes; symbols become numbers. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'\u2000-\u2bff]/g, (sign) => named[sign] ?? `&#${sign.codePointAt(0)};`);
}

/** The same text in character references, as a product may write any text: `1` is `&#49;`, `.` is `&#x2E;`. */
export function toReferences(text: string): string {
  return [...text].map((sign) => reference(sign)).join('');
}

function reference(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (sign === ' ') {
    return '&nbsp;';
  }
  return /\d/.test(sign) ? `&#${code};` : `&#x${code.toString(16).toUpperCase()};`;
}
