// Reads YAML that people write, and keeps the place of every part, so that a mistake is named by line and column.
import { isMap, isScalar, isSeq, Lexer, LineCounter, Parser, parseDocument, visit } from 'yaml';
import { UsageError } from '../process/program.ts';

export type Place = readonly PropertyKey[];

export interface Source {
  readonly value: unknown;
  /** The error for the part at `place`, or for the part that would hold it; `at` is where it begins. */
  mistake(place: Place, reason: string, at?: 'key' | 'value'): UsageError;
}

/** A deeper file would exhaust the stack of the parser, and a longer one its time. */
const most = { depth: 100, parts: 50_000 };

export interface SourceOptions {
  /** Number that the first line of the text has in its file; 1 when absent. */
  firstLine?: number;
  /** Whether a number is a text instead, as it is written, by the nodes that hold it. */
  isText?: (holders: readonly unknown[]) => boolean;
}

/** Throws a UsageError that names `file`, line and column when the text is no plain YAML. */
export function parseSource(file: string, text: string, { firstLine = 1, isText }: SourceOptions = {}): Source {
  const lines = new LineCounter();
  const at = (offset: number, reason: string) => {
    const { line, col } = lines.linePos(offset);
    return new UsageError(`${file}, line ${Math.max(line, 1) + firstLine - 1}, column ${Math.max(col, 1)}: ${reason}`);
  };
  requireModest(text, lines, at);
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    throw at(problem.pos[0], `this is no YAML that can be read: ${problem.message.split('\n')[0]}`);
  }
  visit(document, {
    Alias: (_key, { range }) => {
      throw at(range?.[0] ?? 0, 'an alias is not taken here: write what it stands for');
    },
    Scalar: (_key, scalar, holders) => {
      if (typeof scalar.value === 'number' && scalar.source !== String(scalar.value) && isText?.(holders)) {
        scalar.value = scalar.source;
      }
    },
    Pair: (_key, { key }) => {
      if (!isScalar(key)) {
        throw at((key as { range?: readonly number[] } | null)?.range?.[0] ?? 0, 'a key must be a text');
      }
    },
  });
  return {
    value: document.toJS(),
    mistake: (place, reason, part = 'value') => at(findOffset(document.contents, place, part), reason),
  };
}

/** Throws for a text that the parser would not survive, before the parser sees it. */
function requireModest(text: string, lines: LineCounter, at: (offset: number, reason: string) => UsageError): void {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let parts = 0;
  for (const token of new Lexer().lex(text)) {
    for (const _ of parser.next(token)) {
      // What it yields is not needed: only how deep it stands.
    }
    parts += 1;
    if (parser.stack.length > most.depth) {
      throw at(parser.offset, `is nested more than ${most.depth} deep`);
    }
    if (parts > most.parts) {
      throw at(parser.offset, `has more than ${most.parts} parts up to here`);
    }
  }
}

/** Where the part at `place` begins; a missing part where its holder begins. */
function findOffset(contents: unknown, place: Place, part: 'key' | 'value'): number {
  let offset = 0;
  let node = contents;
  const enter = (next: unknown) => {
    node = next;
    offset = (next as { range?: readonly number[] } | null)?.range?.[0] ?? offset;
  };
  enter(node);
  for (const [depth, step] of place.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) {
        return offset;
      }
      enter(part === 'key' && depth === place.length - 1 ? pair.key : (pair.value ?? pair.key));
    } else if (isSeq(node) && typeof step === 'number') {
      enter(node.items[step]);
    } else {
      return offset;
    }
  }
  return offset;
}
