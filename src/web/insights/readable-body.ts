// Lays out the JSON that a provider gets so that people can read it: every name and every value, as they are sent.

/** One line of the text. `isFact`: it is about this network. */
export interface BodyLine {
  text: string;
  isFact: boolean;
}

/** `body` is JSON; `facts` is the JSON that a text in it contains, or empty. */
export function layOutBody(body: string, facts: string): BodyLine[] {
  return toLines(JSON.parse(body), facts);
}

function toLines(value: unknown, facts: string): BodyLine[] {
  if (typeof value === 'string') {
    return layOutText(value, facts);
  }
  if (isPlain(value)) {
    return [{ text: JSON.stringify(value), isFact: false }];
  }
  return Array.isArray(value)
    ? value.flatMap((item) => indent(toItem(item, facts), '- '))
    : Object.entries(value as object).flatMap(([name, inner]) => layOutField(name, inner, facts));
}

function layOutField(name: string, value: unknown, facts: string): BodyLine[] {
  const lines = toLines(value, facts);
  const [first, second] = lines;
  return isPlain(value) && first && !second
    ? [{ ...first, text: `${name}: ${first.text}` }]
    : [{ text: `${name}:`, isFact: false }, ...indent(lines, '  ')];
}

/** An object of plain values becomes one line, so that the rows of a table stand below each other. */
function toItem(item: unknown, facts: string): BodyLine[] {
  const lines = toLines(item, facts);
  const isRow = !isPlain(item) && Object.values(item as object).every((value) => isPlain(value) && !isLongText(value));
  return isRow ? [{ text: lines.map(({ text }) => text).join(', '), isFact: false }] : lines;
}

function layOutText(text: string, facts: string): BodyLine[] {
  const start = facts === '' ? -1 : text.indexOf(facts);
  if (start === -1) {
    return text.split('\n').map((line) => ({ text: line, isFact: false }));
  }
  return [
    ...layOutText(text.slice(0, start).trimEnd(), ''),
    ...toLines(JSON.parse(facts), '').map((line) => ({ ...line, isFact: true })),
    ...layOutText(text.slice(start + facts.length).trimStart(), facts),
  ];
}

function indent(lines: readonly BodyLine[], mark: string): BodyLine[] {
  return lines.map((line, index) => ({ ...line, text: `${index === 0 ? mark : '  '}${line.text}` }));
}

const isLongText = (value: unknown) => typeof value === 'string' && value.includes('\n');

/** An empty list or object has nothing to lay out. */
function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object' || Object.keys(value).length === 0;
}
