// How a router reads a command line: words against a table of syntaxes, with keywords shortened as far as they stay
// unambiguous. Knows no vendor; each turns the outcome into its own error texts.

/** A word of the line and the column it starts in. */
export interface Word {
  text: string;
  at: number;
}

/**
 * `syntax` is words separated by one space: keywords in lower case, `<name>` for one free word, `<name...>` for the
 * rest of the line (at least one word).
 */
export interface Syntax {
  readonly syntax: string;
}

export type Match<C extends Syntax> =
  | { kind: 'command'; command: C; values: readonly string[] }
  | { kind: 'ambiguous'; word: Word }
  /** `word` fits nowhere; `index` is its place. `excess`: the command was complete before it. */
  | { kind: 'invalid'; word: Word; index: number; excess: boolean }
  | { kind: 'incomplete' };

/** Splits at blanks; a text in double quotes is one word, without the quotes. */
export function splitWords(line: string): readonly Word[] {
  return [...line.matchAll(/"([^"]*)"?|\S+/g)].map((found) => ({ text: found[1] ?? found[0], at: found.index }));
}

/** Finds the one command `words` mean. An exact keyword wins over longer ones; keywords win over free words. */
export function matchCommand<C extends Syntax>(words: readonly Word[], commands: readonly C[]): Match<C> {
  let candidates = commands.map((command) => ({ command, parts: command.syntax.split(' ') }));
  const values: string[] = [];
  for (const [index, word] of words.entries()) {
    const typed = word.text.toLowerCase();
    const longer = candidates.filter(({ parts }) => parts.length > index);
    const keywords = new Set(longer.map(({ parts }) => parts[index] ?? '').filter((part) => part.startsWith(typed)));
    const keyword = keywords.has(typed) ? typed : keywords.size === 1 ? [...keywords][0] : undefined;
    if (keyword !== undefined) {
      candidates = longer.filter(({ parts }) => parts[index] === keyword);
      continue;
    }
    if (keywords.size > 1) {
      return { kind: 'ambiguous', word };
    }
    const free = longer.filter(({ parts }) => parts[index]?.startsWith('<'));
    const rest = free.find(({ parts }) => parts[index]?.endsWith('...>'));
    if (rest) {
      values.push(...words.slice(index).map(({ text }) => text));
      return { kind: 'command', command: rest.command, values };
    }
    if (free.length === 0) {
      const excess = candidates.some(({ parts }) => parts.length === index);
      return { kind: 'invalid', word, index, excess };
    }
    values.push(word.text);
    candidates = free;
  }
  const complete = candidates.find(({ parts }) => parts.length === words.length);
  return complete ? { kind: 'command', command: complete.command, values } : { kind: 'incomplete' };
}
