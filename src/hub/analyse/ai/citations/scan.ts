// Finds what a text states: addresses, host names and numbers, in English and Japanese.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { MaskedText } from './masked-text.ts';
import { claimNumbers, type NumberToken } from './scan-numbers.ts';

export interface TextToken {
  kind: 'address' | 'host';
  /** UTF-16 units of the text, `end` exclusive. */
  start: number;
  end: number;
  /** Canonical address or lower-case host name; null of an address that cannot be one. */
  value: string | null;
}

export type Token = TextToken | NumberToken;

/** Defanged addresses have brackets around their dots. */
const dot = String.raw`(?:\.|\[\.\]|\(\.\))`;
const path = /(?<=h(?:tt|xx)ps?:\/\/[^\s/?#]{1,300})[/?#][^\s「」『』()（）、。]*/gi;
const mac =
  /(?<![0-9a-z:-])(?:[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})(?![0-9a-z])(?![:.-][0-9a-f])/gi;
const ipv6 =
  /(?<![0-9a-z:])(?:[0-9a-f]{0,4}:){2,8}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4})(?:\/\d{1,3})?(?![0-9a-z])/gi;
const ipv4 = new RegExp(
  String.raw`(?<![\w.])\d{1,3}(?:${dot}\d{1,3}){3}(?![A-Za-z0-9_]|${dot}\d)(?:\/\d{1,2}(?![\d.]))?`,
  'g',
);
/** Versions and parts of addresses. */
const dotted = /(?<![\w.])v?\d+(?:\.\d+){2,}(?!\w)/g;
/** Begins at the first label: from each of the others it would read on to the end again. */
const host = new RegExp(
  String.raw`(?<![\w.-]|[\w-](?:\[\.\]|\(\.\)))[a-z0-9_-]{1,63}(?:${dot}[a-z0-9_-]{1,63})*${dot}([a-z]{2,63}|xn--[a-z0-9-]{1,59})(?![\w-]|${dot}[a-z0-9])`,
  'gi',
);

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*';
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?`;
/** Days and times are no citations: facts have them in UTC, answers in words. */
const days = [
  String.raw`\d{4}-\d{2}-\d{2}(?:[T ]${clock}(?:Z|[+-]\d{2}:?\d{2})?)?`,
  String.raw`\d{4}\/\d{1,2}\/\d{1,2}`,
  String.raw`\d{1,2}\/\d{1,2}\/\d{4}`,
  String.raw`\d{4} ?年(?:度| ?\d{1,2} ?月(?: ?\d{1,2} ?日)?)?`,
  String.raw`\d{1,2} ?月 ?\d{1,2} ?日`,
  String.raw`\d{1,2} ?時(?!間)(?: ?\d{1,2} ?分)?`,
  String.raw`\b${month}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?`,
  String.raw`\d{1,2}(?:st|nd|rd|th)? ${month}\.?(?:,? \d{4})?`,
  String.raw`\d{1,2} ?[ap]\.?m\b`,
  String.raw`\b(?:UTC|GMT) ?[+-] ?\d{1,2}(?::\d{2})?`,
  clock,
].map((pattern) => new RegExp(String.raw`(?<![\d.:/])(?:${pattern})(?![\d:/])`, 'gi'));

/** In the order of the text; tokens do not overlap. `names` are found as they are written, as hosts. */
export function scanText(text: string, names: readonly string[] = []): Token[] {
  const masked = new MaskedText(text);
  const found: Token[] = [];
  const add = (kind: TextToken['kind'], start: number, length: number, value: string | null) => {
    found.push({ kind, start, end: start + length, value });
    return true;
  };
  masked.claim(path, () => true);
  masked.claim(mac, ({ 0: one, index }) => add('address', index, one.length, canonicalMac(one)));
  for (const pattern of days) {
    masked.claim(pattern, () => true);
  }
  masked.claim(ipv6, ({ 0: one, index }) => {
    const address = [one, one.replace(/:$/, '')].find((each) => canonicalIp(removePrefixLength(each)) !== null);
    return address !== undefined && /[0-9a-f]/i.test(address)
      ? add('address', index, address.length, canonicalIp(removePrefixLength(address)))
      : false;
  });
  masked.claim(ipv4, ({ 0: one, index }) =>
    add('address', index, one.length, canonicalIp(removePrefixLength(removeDotBrackets(one)))),
  );
  masked.claim(dotted, () => true);
  masked.claim(host, ({ 0: one, 1: last = '', index }) =>
    isWord(one, last) ? false : add('host', index, one.length, removeDotBrackets(one).toLowerCase()),
  );
  for (const name of names) {
    masked.claim(createNamePattern(name), ({ 0: one, index }) => add('host', index, one.length, name));
  }
  claimNumbers(masked, (token) => found.push(token));
  return found.sort((one, other) => one.start - other.start);
}

/** The end of a sentence that no space follows: "end.The". */
function isWord(text: string, last: string): boolean {
  return last !== last.toLowerCase() && text !== text.toUpperCase();
}

/** Without its prefix length. */
function removePrefixLength(address: string): string {
  return address.replace(/\/\d+$/, '');
}

function removeDotBrackets(text: string): string {
  return text.replace(/[[(]\.[\])]/g, '.');
}

function createNamePattern(name: string): RegExp {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9_.-])${escaped}(?![A-Za-z0-9_-])`, 'g');
}
