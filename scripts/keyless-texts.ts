// Translations without their keys: a dictionary has the keys of the English one in the same order, so its values are enough.
// The page puts the keys back (src/web/text/text.ts). This saves a quarter of what a translation takes.
import type { Plugin } from 'vite';

interface Node {
  type: string;
  start: number;
  end: number;
  key?: { value?: unknown };
  value?: Node;
  shorthand?: boolean;
  properties?: Node[];
}

interface Edit {
  from: number;
  to: number;
  text: string;
}

export function keylessTexts(): Plugin {
  return {
    name: 'keyless-texts',
    // Types are gone by then.
    enforce: 'post',
    transform(code, id) {
      return /\/text\/(?:\w+\/)?ja(?:-\w+)?\.ts$/.test(id) ? removeKeys(code, this.parse(code)) : null;
    },
  };
}

/** Writes each object of `program` as a list of its values. Objects inside functions, and those with numbers as keys, stay. */
function removeKeys(code: string, program: object): string {
  const edits = listEdits(program).sort((one, other) => other.from - one.from);
  return edits.reduce((text, { from, to, text: by }) => text.slice(0, from) + by + text.slice(to), code);
}

function listEdits(part: unknown): Edit[] {
  if (Array.isArray(part)) {
    return part.flatMap(listEdits);
  }
  if (typeof part !== 'object' || part === null || isFunction(part as Node)) {
    return [];
  }
  const { type, start, end, properties = [] } = part as Node;
  const inner = Object.values(part).flatMap(listEdits);
  // The keys of an object that are whole numbers come first, whatever their place in the source is.
  if (type !== 'ObjectExpression' || properties.some(({ key }) => /^\d+$/.test(String(key?.value ?? '')))) {
    return inner;
  }
  const keys = properties.flatMap(({ start: from, value, shorthand }) =>
    value && !shorthand ? [{ from, to: value.start, text: '' }] : [],
  );
  return [{ from: start, to: start + 1, text: '[' }, ...keys, ...inner, { from: end - 1, to: end, text: ']' }];
}

function isFunction({ type }: Node): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
}
