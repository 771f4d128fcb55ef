// Lines that close a table or a block of one, for every firmware: rules, and sentences with a count.

/** A line of `-`, `=`, `*` or the like. No piece of a row is one: an empty cell has three dashes at most. */
export function isRule(line: string): boolean {
  return /[^\s.:,]{4}/.test(line) && !/[\p{L}\p{N}]/u.test(line);
}

/** A rule, or a sentence such as `1 NAT descriptor table found`, `Total: 2` or `2個ありました`. */
export function isBlockEnd(line: string): boolean {
  return !holdsCell(line) && (isRule(line) || countSentences.some((sentence) => sentence.test(line.trim())));
}

/** Text that cannot be part of a row or its details: three words in sequence, or Japanese. */
export function isProse(line: string): boolean {
  return (
    !/[:*]|\d\.\d/.test(line) &&
    /(?<!\p{L})\p{L}{2,} \p{L}+ \p{L}{2}|[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]{4}/u.test(line)
  );
}

/** An address or a time, whole or in part. */
export function holdsCell(line: string): boolean {
  return /\d[.:]\d/.test(line);
}

const countSentences: readonly RegExp[] = [
  /(?<!\p{Nd})\p{Nd}{1,9} (?:[a-z/]{1,20} ){0,4}(?:sessions?|entry|entries|tables?|descriptors?|translations?|mappings?)(?![\p{L}:])/iu,
  /(?<!\p{Nd})\p{Nd}{1,9}\s?(?:個|件|本|セッション|エントリ)/u,
  /^(?:total|count|number of [a-z ]{1,40}|合計|カウント数)\s?[:：]?\s?\p{Nd}{1,9}[.。]?$/iu,
];
