// Chooses which changes of an area are tried: a seeded sample, a third of it on error paths, without equivalent ones.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'vite';
import { type Equivalent, equivalents } from './equivalents.ts';

interface Place {
  line: number;
  column: number;
}

/** A change as StrykerJS describes it: lines and columns count from 0. */
export interface Change {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  location: { start: Place; end: Place };
}

/** Lines of a file, counted from 0, both ends belong to it. */
interface Span {
  from: number;
  to: number;
}

/** A part of a file, both ends included. */
interface Stretch {
  from: Place;
  to: Place;
}

function isBefore(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.column <= other.column);
}

const logMethods = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** What is given to the log, its objects and its texts: a change there is no fault of the program. */
export function logArguments(file: string, source: string): Stretch[] {
  const stretches: Stretch[] = [];
  const placeOf = createPlaces(source);
  new Visitor({
    CallExpression: ({ callee, arguments: given }) => {
      const isLog =
        callee.type === 'MemberExpression' &&
        /(?:^|\.)log$/.test(source.slice(callee.object.start, callee.object.end)) &&
        logMethods.has(source.slice(callee.property.start, callee.property.end));
      for (const { start, end } of isLog ? given : []) {
        stretches.push({ from: placeOf(start), to: placeOf(end) });
      }
    },
  }).visit(parseSync(file, source).program);
  return stretches;
}

function createPlaces(source: string): (offset: number) => Place {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line, column: offset - (starts[line] ?? 0) };
  };
}

/**
 * Ids of the sample: `count` changes, a third of them on error paths as far as there are so many. The order depends on the
 * seed and on what is changed into what, not on lines: a sample stays the same when code elsewhere in the file moves.
 */
export function sampleOf(
  changes: readonly Change[],
  count: number,
  seed: string,
  without: readonly Equivalent[] = equivalents,
): Set<string> {
  const sources = new Map<string, { lines: string[]; spans: Span[]; logged: Stretch[] }>();
  const read = (file: string) => {
    const source = readFileSync(file, 'utf8');
    const known = { lines: source.split('\n'), spans: errorPaths(file, source), logged: logArguments(file, source) };
    sources.set(file, known);
    return known;
  };
  const seen = new Map<string, number>();
  const candidates = changes.flatMap((change) => {
    const { lines, spans, logged } = sources.get(change.fileName) ?? read(change.fileName);
    if (logged.some(({ from, to }) => isBefore(from, change.location.start) && isBefore(change.location.end, to))) {
      return [];
    }
    const words = wordsOf(change, lines);
    if (without.some((same) => words === [same.file, same.mutatorName, same.from, same.to].join('|'))) {
      return [];
    }
    const nth = seen.get(words) ?? 0;
    seen.set(words, nth + 1);
    const { line } = change.location.start;
    const isErrorPath = spans.some(({ from, to }) => line >= from && line <= to);
    return [{ id: change.id, isErrorPath, rank: hash(`${seed}|${words}|${nth}`) }];
  });
  const inOrder = candidates.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const errors = inOrder.filter(({ isErrorPath }) => isErrorPath).slice(0, Math.ceil(count / 3));
  const rest = inOrder.filter((candidate) => !errors.includes(candidate));
  return new Set([...errors, ...rest].slice(0, count).map(({ id }) => id));
}

/** What is changed, in words: file, kind of the change, the text before and after, without line breaks. */
function wordsOf({ fileName, mutatorName, replacement, location }: Change, lines: readonly string[]): string {
  const file = /(?:src|gate|simulators)\/.*$/.exec(fileName.replaceAll('\\', '/'))?.[0] ?? fileName;
  return [file, mutatorName, textAt(lines, location), oneLine(replacement)].join('|');
}

/** The text of a place in one line. */
export function textAt(lines: readonly string[], { start, end }: Change['location']): string {
  const part = lines.slice(start.line, end.line + 1);
  const last = part.length - 1;
  return oneLine(
    part.map((line, at) => line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined)).join(' '),
  );
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const afterwards = new Set(['catch', 'finally', 'defer', 'adopt']);

/**
 * Where a file deals with what went wrong or has ended: catch and finally blocks, throws, what is given to `catch`,
 * `finally` and `defer`, what is done under a condition that names an error, and disposal.
 */
export function errorPaths(file: string, source: string): Span[] {
  const spans: Span[] = [];
  const placeOf = createPlaces(source);
  const add = (node: { start: number; end: number } | null | undefined) => {
    if (node) {
      spans.push({ from: placeOf(node.start).line, to: placeOf(node.end).line });
    }
  };
  const addDisposal = (node: { start: number; end: number; key: { start: number; end: number } }) => {
    if (/dispose/i.test(source.slice(node.key.start, node.key.end))) {
      add(node);
    }
  };
  new Visitor({
    TryStatement: ({ handler, finalizer }) => {
      add(handler);
      add(finalizer);
    },
    ThrowStatement: add,
    CallExpression: ({ callee, arguments: given }) => {
      if (
        callee.type === 'MemberExpression' &&
        afterwards.has(source.slice(callee.property.start, callee.property.end))
      ) {
        given.forEach(add);
      }
    },
    IfStatement: ({ test, consequent }) => {
      if (/error|fault|failed|aborted|refus|!.*ok\b/i.test(source.slice(test.start, test.end))) {
        add(consequent);
      }
    },
    Property: addDisposal,
    MethodDefinition: addDisposal,
  }).visit(parseSync(file, source).program);
  return spans;
}
