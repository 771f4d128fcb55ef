// Which command lines may be sent to somebody else's router. Everything not listed here is a violation.
import type { Word } from './command-grammar.ts';
import { splitWords } from './command-grammar.ts';

/** A keyword and the fewest letters that mean it and nothing else on either vendor. */
type Keyword = readonly [word: string, least: number];

const show: Keyword = ['show', 2];
/** Commands without arguments that only change this login's privilege or end it. */
const alone: readonly Keyword[] = [
  ['enable', 2],
  ['disable', 4],
  ['administrator', 3],
  ['exit', 2],
  ['quit', 2],
  ['logout', 4],
];
const terminal: Keyword = ['terminal', 4];
const terminalSettings: readonly Keyword[] = [
  ['length', 3],
  ['width', 3],
];
/** What may stand behind a pipe: filters. `redirect`, `tee` and `append` write files. */
const filters: readonly Keyword[] = [
  ['include', 1],
  ['exclude', 1],
  ['begin', 1],
  ['section', 3],
  ['count', 1],
  ['grep', 4],
];

const writers = ['redirect', 'tee', 'append'];

/**
 * True for `show …` with filters behind it, `terminal length|width N`, `enable`, `disable`, `administrator`, `exit`,
 * `quit`, `logout`, an empty line and a `!` comment, for both vendors and shortened as far as they stay clear.
 * `console …` never is: on vendor_a it changes the device for everybody.
 */
export function isReadOnly(line: string): boolean {
  if (hasControls(line)) {
    return false;
  }
  if (line.trim() === '' || line.trimStart().startsWith('!')) {
    return true;
  }
  const words = splitWords(line);
  const [first, second, third] = words;
  if (first === undefined) {
    return true;
  }
  if (means(first, show)) {
    return words.length > 1 && isPlainShow(line, words);
  }
  if (means(first, terminal)) {
    return terminalSettings.some((one) => means(second, one)) && /^\d+$/.test(third?.text ?? '') && words.length === 3;
  }
  return words.length === 1 && alone.some((one) => means(first, one));
}

function isPlainShow(line: string, words: readonly Word[]): boolean {
  const writesFile = words.some(({ text, at }) => text.startsWith('>') && line[at] !== '"');
  const [pipe, ...later] = line.split('|').slice(1).map(splitWords);
  if (writesFile || pipe === undefined) {
    return !writesFile;
  }
  const [filter, pattern] = pipe;
  const isFilter = filters.some((one) => means(filter, one));
  // A bar may be part of a pattern (`include a|b`), so later segments need not be filters; they must not write.
  return isFilter && pattern !== undefined && !later.some(writes);
}

function writes([word, target]: readonly Word[]): boolean {
  const typed = word?.text.toLowerCase() ?? '';
  return target !== undefined && writers.some((writer) => writer.startsWith(typed));
}

function means(word: Word | undefined, [full, least]: Keyword): boolean {
  const typed = word?.text.toLowerCase() ?? '';
  return typed.length >= least && full.startsWith(typed);
}

function hasControls(line: string): boolean {
  return [...line].some((character) => character < ' ' && character !== '\t');
}
