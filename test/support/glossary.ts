// The glossary of the prose, and a scan of comments, messages and documents for the words that it replaces.

/** What to write instead, by pattern. */
export const glossary: readonly (readonly [RegExp, string])[] = [
  [/\btold\s+of\b/gi, 'notified of'],
  [/\btakes\s+up\b/gi, 'applies'],
  [/\blearnt\b/gi, 'discovered'],
  [/\bkept\b/gi, 'stored, cached'],
  [/\bhangs\s+on\b/gi, 'depends on'],
  [/\blaid\s+flat\b/gi, 'flattened'],
  [/\bat\s+hand\b/gi, 'local'],
  [/\bin\s+turns\b/gi, 'cooperatively'],
  [/\bgravest\b/gi, 'most severe'],
  [/\bended\s+hour\b/gi, 'closed hour'],
  [/\bbeside\b/gi, 'as well as'],
  [/\bin\s+place\s+of\b/gi, 'instead of'],
  [/\bmade\s+anew\b/gi, 'rebuilt'],
  [/\bnobody\s+is\s+asked\b/gi, 'no external service is queried'],
  // Plain English after a possessive: "its own", "the hub's own".
  [/(?<!\b(?:its|their|his|her|our|my|your|whose)\s+)(?<!['’]s?\s+)(?<![\w.-])own(?![\w-])/gi, 'custom'],
];

export interface GlossaryHit {
  line: number;
  /** As it is written there. */
  word: string;
  better: string;
  /** The line that it begins in. */
  text: string;
}

/** The hits in the prose of a file, in the order of their lines. */
export function glossaryHits(name: string, source: string): GlossaryHit[] {
  const prose = proseOf(name, source);
  const lines = source.split('\n');
  return glossary
    .flatMap(([pattern, better]) =>
      [...prose.matchAll(pattern)].map(({ 0: word, index }) => {
        const line = prose.slice(0, index).split('\n').length;
        return { line, word: word.replace(/\s+/g, ' '), better, text: (lines[line - 1] ?? '').trim() };
      }),
    )
    .sort((one, other) => one.line - other.line);
}

/** The same text with blanks where no prose is: code, names in backticks, the marks that begin a line of a comment. */
function proseOf(name: string, source: string): string {
  if (name.endsWith('.md')) {
    return source.replace(/^[ \t]*```[\s\S]*?^[ \t]*```|`(?:[^`\n]|\n(?!\s*\n))+`|^[ \t]*>/gm, blank);
  }
  const pieces = name.endsWith('.sql')
    ? /--[^\n]*/g
    : /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  let prose = '';
  let at = 0;
  for (const { 0: piece, index } of source.matchAll(pieces)) {
    prose += blank(source.slice(at, index)) + textOf(piece);
    at = index + piece.length;
  }
  return prose + blank(source.slice(at));
}

/** Of a comment its words, of a string its words too, unless it is a name (no blank in it). */
function textOf(piece: string): string {
  if (/^(?:\/\/|\/\*|--)/.test(piece)) {
    return piece.replace(/^\s*(?:\/\/|\/?\*+\/?|--)|`[^`\n]+`/gm, blank);
  }
  return /\s/.test(piece) ? piece.replace(/\$\{[^}]*\}/g, blank) : blank(piece);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
