// A TypeScript file as the JavaScript that the npm package holds: types are blanked out, so that every line and column stays.
import { stripTypeScriptTypes } from 'node:module';
import { parseAst } from 'vite';

/** Names of our own files: relative, below `#area/`, or from the folder of the package. */
const ownFile = /^(?:\.{1,2}\/|#|(?:src|simulators)\/).*\.ts$/;
const anyFile = /\.ts$/;

/** A text of the program that still names a TypeScript file: it would not be found in the package. */
export class NamesTypeScript extends Error {}

/**
 * Names of `.ts` files in its strings become those of `.js` files. Throws NamesTypeScript for a name that is put together
 * from pieces, which nobody could find.
 */
export function toJavaScript(file: string, text: string): string {
  const code = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  let changed = code;
  // From the end, so that the places before stay true.
  for (const { start, end, value } of findStrings(code).reverse()) {
    if (ownFile.test(value)) {
      changed = `${changed.slice(0, start)}${code.slice(start, end).replace(/\.ts(?=.$)/, '.js')}${changed.slice(end)}`;
    } else if (anyFile.test(value)) {
      throw new NamesTypeScript(
        `${file} names "${value}" in a string: write new URL('./name.ts', import.meta.url), or the name from the folder of the package`,
      );
    }
  }
  return changed;
}

interface Text {
  start: number;
  end: number;
  value: string;
}

/** Every string and piece of a template, in the order of the text. */
export function findStrings(code: string): Text[] {
  const found: Text[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit);
    } else if (typeof node === 'object' && node !== null) {
      const { type, start, end, value } = node as { type?: string; start: number; end: number; value?: unknown };
      if (type === 'Literal' && typeof value === 'string') {
        found.push({ start, end, value });
      } else if (type === 'TemplateElement') {
        found.push({ start: start - 1, end: end + 1, value: (value as { raw: string }).raw });
      } else {
        Object.values(node).forEach(visit);
      }
    }
  };
  visit(parseAst(code));
  return found.sort((a, b) => a.start - b.start);
}
