// Numbers of a text, with what stands behind them; what only numbers a list, a version or a rank is told apart.
import type { MaskedText } from './masked-text.ts';

/** What a number counts, when that is written behind it. */
export type NumberUnit = 'none' | 'percent' | 'times' | 'ms' | 'second' | 'minute' | 'hour' | 'day' | 'week';

export interface NumberToken {
  kind: 'number';
  start: number;
  end: number;
  value: number;
  /** Half of its last digit: what it may have been rounded by. */
  within: number;
  unit: NumberUnit;
  /** It is a place in a list, a rank or a version, and states nothing. */
  isLabel: boolean;
  /** Its groups of digits, each a number of its own, when the separator may also part numbers. */
  parts: readonly Omit<NumberToken, 'parts'>[];
}

const units: readonly (readonly [RegExp, NumberUnit])[] = [
  [/^ ?(?:%|percent\b|パーセント|%ポイント)/i, 'percent'],
  [/^(?: ?(?:倍|times\b)|[x×](?![A-Za-z0-9]))/i, 'times'],
  [/^ ?(?:ms\b|milliseconds?\b|ミリ秒)/i, 'ms'],
  [/^(?: ?(?:secs?|seconds?)\b| ?秒|s\b)/i, 'second'],
  [/^(?: ?(?:mins?|minutes?)\b| ?分(?![のけ割布類])|m\b)/i, 'minute'],
  [/^(?:[ -]?(?:hrs?|hours?)\b| ?時間| ?h\b)/i, 'hour'],
  [/^(?:[ -]?days?\b| ?日(?:間)?| ?d\b)/i, 'day'],
  [/^(?:[ -]?weeks?\b| ?週間| ?w\b)/i, 'week'],
];
const multipliers: readonly (readonly [RegExp, number])[] = [
  [/^(?:k\b| thousand\b|千)/i, 1e3],
  [/^万/, 1e4],
  [/^(?: million\b)/i, 1e6],
  [/^億/, 1e8],
];

const number =
  /(?<![\w.])(?:(\d{1,3})((?:([,'’\u00a0\u2009\u202f ])\d{3})(?:\3\d{3})*)|\d+)(?![\d])(\.\d+(?!\.?\d))?/gi;
/** Words after which a number is a name. */
const nameBefore =
  /(?:\b(?:rfc|tls|ssl|http|wi-?fi|version|ver\.?|windows|ipv|section|step|option|point|item|phase|part|top|no\.)[ /]|[#第]|トップ ?|上位 ?)$/i;
/** Ranks, and the day of a month. */
const rankBehind = /^(?: ?つ目| ?点目| ?番目| ?位(?![置相])| ?日(?!間))/;
const listBefore = /(?:^|\n)[ \t]*(?:[#>*-]+[ \t]+)?(?:\*\*)?\(?$/;

/** "CVE-2026-1234", "SHA-256". */
const identifier = /(?<![\w.])[a-z]+(?:-\d+)+(?!\w)/gi;

export function claimNumbers(masked: MaskedText, found: (token: NumberToken) => void): void {
  masked.claim(identifier, () => true);
  const text = masked.rest;
  for (const match of text.matchAll(number)) {
    const { 0: all, 1: first, 2: groups, 3: separator, 4: fraction = '', index } = match;
    const before = text.slice(Math.max(0, index - 24), index);
    const behind = text.slice(index + all.length, index + all.length + 16);
    const digits = separator === undefined ? all : `${first}${groups}${fraction}`.replaceAll(separator, '');
    const measured = measure(Number(digits), fraction.length > 0 ? fraction.length - 1 : 0, behind);
    if (measured === null) {
      continue;
    }
    const isLabel =
      nameBefore.test(before) ||
      rankBehind.test(behind) ||
      (listBefore.test(before) && /^\d{1,2}$/.test(all) && /^[.):]\*{0,2}\s/.test(behind));
    const token = { kind: 'number' as const, start: index, end: index + all.length, ...measured, isLabel };
    const parts =
      separator === ',' || separator === ' ' ? splitGroups(`${first}${groups}`, separator, token, fraction) : [];
    found({ ...token, parts });
  }
}

/** Null when letters behind it make it a part of a word. */
function measure(
  value: number,
  decimals: number,
  behind: string,
): Pick<NumberToken, 'value' | 'within' | 'unit'> | null {
  const [by, factor] = multipliers.find(([pattern]) => pattern.test(behind)) ?? [null, 1];
  const rest = by === null ? behind : behind.replace(by, '');
  const unit = units.find(([pattern]) => pattern.test(rest))?.[1] ?? 'none';
  if (unit === 'none' && by === null && /^[A-Za-z_]/.test(behind)) {
    return null;
  }
  return { value: value * factor, within: decimals === 0 && factor === 1 ? 0 : (0.5 / 10 ** decimals) * factor, unit };
}

type Part = NumberToken['parts'][number];

/** `token` is all of them; what stands behind it belongs to the last. */
function splitGroups(written: string, separator: string, token: Part, fraction: string): Part[] {
  const texts = written.split(separator);
  // "000" is no number that stands for itself.
  if (texts.some((text) => /^0\d/.test(text))) {
    return [];
  }
  return texts.map((text, at) => {
    const isLast = at === texts.length - 1;
    const start = token.start + texts.slice(0, at).reduce((sum, one) => sum + one.length + 1, 0);
    const length = text.length + (isLast ? fraction.length : 0);
    const value = Number(isLast ? `${text}${fraction}` : text);
    const rest = isLast ? { within: token.within, unit: token.unit } : { within: 0, unit: 'none' as const };
    return { kind: 'number', start, end: start + length, value, ...rest, isLabel: false };
  });
}
