// Finds what identifies somebody in the output of a router. In all texts here one character is one byte (latin1).
import { canonicalIp } from '#kernel/net/address.ts';
import { type JoinedText, joinRows } from './joined-rows.ts';

export type TokenKind = 'address' | 'MAC' | 'client' | 'name' | 'secret';

export interface Token {
  kind: TokenKind;
  text: string;
  /** Index of its first character. */
  from: number;
  /** Index of each of its characters, when the router interrupted the row in it or beside it. */
  places?: readonly number[];
}

export interface KnownWords {
  names: readonly string[];
  secrets: readonly string[];
}

/** `Host Name` in Shift_JIS, EUC-JP and UTF-8, and the colon of full width in each of them. */
const hostName =
  'Host Name|\x83\x7a\x83\x58\x83\x67\x96\xbc|\xa5\xdb\xa5\xb9\xa5\xc8\xcc\xbe|\xe3\x83\x9b\xe3\x82\xb9\xe3\x83\x88\xe5\x90\x8d';
const colon = '[ \\t]*(?::|\x81\x46|\xa1\xa7|\xef\xbc\x9a)[ \\t]*';

/** Where routers print names, serial numbers and users. The first group of each expression is the name. */
const nameContexts: readonly RegExp[] = [
  new RegExp(`(?:${hostName})${colon}([^\\s][^\\r\\n]*)`, 'gi'),
  /^(\S+) uptime is /gm,
  /Processor board ID (\S+)/g,
  /\bserial=(\S+)/gi,
  /\b(?:S\/?N|serial number)\s*[:=]\s*([\w-]+)/gi,
  /\b(F[A-Z]{2}\d{2}[\dA-Z]{6})\b/g,
  /\bvrf:?\s+([\w.-]+)/gi,
  /\buser[:=]\s*([\w.@-]+)/gi,
  /\bby ([\w.@-]+) on (?:vty|console)/g,
  /\bLogin (?:succeeded|failed) for \S+ \S+ ([\w.@-]+)/g,
];

/** Words of the tables themselves. They identify nobody, and a driver could not read a table without them. */
const commonWord =
  /^(?:address|any|arp|arpa|automatic|cisco|client|count|create|descriptor|detail|dynamic|enable|ethernet|exit|flags|host|icmp|incomplete|inside|interface|internet|ip|ipv6|lan\d*|leased|left|nat|name|outer|outside|permanent|port|pro|protocol|reserved|router|rtx\w*|session|show|static|tcp|terminal|timeout|total|type|udp|use|verbose|version|vlan\d*|yamaha)$/i;

/** Returns the names that a text states, without the common words of routers. */
export function findNames(text: string): string[] {
  const found = [text, joinRows(text)?.joined ?? ''].flatMap((view) =>
    nameContexts.flatMap((context) => [...view.matchAll(context)].map(([, name = '']) => name)),
  );
  return [...new Set(found.map(trimName))].filter(isName);
}

function trimName(name: string): string {
  return name.replace(/[\s,;.)]+$/, '');
}

/** Whether the word identifies somebody: a single character, a number like a port or a common word of routers does not. */
export function isName(word: string): boolean {
  return word.length > 1 && /[\w\x80-\xff]/.test(word) && !/^\d{1,5}$/.test(word) && !commonWord.test(word);
}

/** Whether the secret hardly stands in other text by chance. Short ones and short numbers do. */
export function isDistinctive(secret: string): boolean {
  return secret.length >= 8 || (secret.length >= 4 && /\D/.test(secret));
}

const ipv6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4})(?![\w:])/gi;
const mac =
  /(?<![\da-f][:.-]?)(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|(?:[\da-f]{4}\.){2}[\da-f]{4})(?![:.-]?[\da-f])/gi;
/** An IPv4 address; a dot and a port may follow, as in `192.0.2.1.443`. */
const ipv4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d)(?!\.\d{1,3}\.)/g;
/** The same without regard to what stands beside: cells run into each other, or bytes are damaged. */
const ipv6Anywhere =
  /(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|[\da-f]{1,4}(?::[\da-f]{1,4})*::[\da-f]{1,4}(?::[\da-f]{1,4})*/gi;
const macAnywhere = /[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|(?:[\da-f]{4}\.){2}[\da-f]{4}/gi;
const ipv4Anywhere = /\d{1,3}(?:\.\d{1,3}){3}/g;
const ipv4CutShort = /(?<![\w.])(?:\d{1,3}\.){1,3}\d{0,3}$/g;
/** The beginning of an IPv6 address, a MAC or a client, of five digits or more. A time of day is none. */
const digitsCutShort =
  /(?<![\w:.-])(?!\d{1,2}:\d{2}:\d{0,2}$)(?=(?:[:.-]*[\da-f]){5})[\da-f]{1,4}(?:[:.-]+[\da-f]{1,4})+[:.-]*$/gi;
/** A client of DHCP in a lease: behind its address, in the lines that go on with it, and behind its label. */
const clients: readonly RegExp[] = [
  /(?<=\d{1,3}(?:\.\d{1,3}){3}[ \t]+)(?=(?:[\da-f]\.?){12})[\da-f]{2,}(?:\.[\da-f]{1,4})*(?=[\s.]|$)/gim,
  /(?<=^[ \t]{4,})(?=(?:[\da-f]\.?){4})[\da-f]{1,4}(?:\.[\da-f]{1,4})*(?=\.?[ \t]*\r?$)/gim,
  /(?<=\([\da-f]{2}\) )[\da-f]{2}(?: [\da-f]{2})+/gi,
];

/** Finds what identifies somebody. The tokens do not overlap. With `isCut` the text ends in the middle, maybe in a token. */
export function findTokens(text: string, words: KnownWords, isCut = false): Token[] {
  const rows = joinRows(text);
  const interrupted = rows ? findInterruptedTokens(rows, words, isCut) : [];
  return [
    ...interrupted,
    ...collectTokens(interrupted.length === 0 ? text : blankTokens(text, interrupted), words, isCut),
  ];
}

/** The tokens in which, or beside which, the rows were joined. */
function findInterruptedTokens({ joined, places }: JoinedText, words: KnownWords, isCut: boolean): Token[] {
  return collectTokens(joined, words, isCut).flatMap(({ kind, text, from }) => {
    const to = from + text.length;
    const [first, last] = [Math.max(from - 1, 0), Math.min(to, joined.length - 1)];
    const isWhole = (places[last] ?? 0) - (places[first] ?? 0) === last - first;
    return isWhole ? [] : [{ kind, text, from: places[from] ?? 0, places: [...places.subarray(from, to)] }];
  });
}

/** The text with zero bytes in place of the tokens. */
function blankTokens(text: string, tokens: readonly Token[]): string {
  const bytes = Buffer.from(text, 'latin1');
  for (const { places = [] } of tokens) {
    for (const place of places) {
      bytes[place] = 0;
    }
  }
  return bytes.toString('latin1');
}

function collectTokens(text: string, { names, secrets }: KnownWords, isCut: boolean): Token[] {
  const tokens: Token[] = [];
  let rest = text;
  const take = (kind: TokenKind, pattern: RegExp | null, isOne: (found: string) => boolean = () => true): void => {
    if (pattern !== null) {
      rest = rest.replace(pattern, (found: string, ...others) => {
        if (!isOne(found)) {
          return found;
        }
        const from = others.findLast((one) => typeof one === 'number') as number;
        tokens.push({ kind, text: found, from });
        return '\0'.repeat(found.length);
      });
    }
  };
  take('secret', matchWords(secrets.filter(isDistinctive), ''));
  take(
    'secret',
    matchWords(
      secrets.filter((secret) => !isDistinctive(secret)),
      '[\\w\\x80-\\xff]',
    ),
  );
  take('secret', isCut ? matchBeginningAtEnd(rest, secrets) : null);
  for (const client of clients) {
    take('client', client);
  }
  take('MAC', mac);
  take('address', ipv6, (found) => isLikeIpv6(found) && canonicalIp(found) !== null);
  take('address', ipv4, (found) => canonicalIp(found) !== null);
  take('MAC', macAnywhere);
  take('address', ipv6Anywhere, (found) => canonicalIp(found) !== null);
  take('address', ipv4Anywhere, (found) => canonicalIp(found) !== null);
  take('address', isCut ? ipv4CutShort : null);
  take('client', isCut ? digitsCutShort : null);
  take('name', matchWords(names, '[\\w\\x80-\\xff-]'));
  take('name', isCut ? matchBeginningAtEnd(rest, names) : null);
  return tokens;
}

/** Matches the longest end of the text that is the beginning of a word; null when there is none of three characters. */
function matchBeginningAtEnd(text: string, words: readonly string[]): RegExp | null {
  for (let length = Math.min(text.length, 200); length >= shortestBeginning; length -= 1) {
    const end = text.slice(-length);
    if (/[\da-z]/i.test(end) && words.some((word) => word.startsWith(end))) {
      return new RegExp(`${RegExp.escape(end)}$`, 'g');
    }
  }
  return null;
}

const shortestBeginning = 3;

/** A quick test before the slow one: a table may have a hundred thousand times of day. */
function isLikeIpv6(text: string): boolean {
  return text.includes('::') || text.includes('.') || text.split(':').length === 8;
}

/** Matches each of the words, the longest first, where no character of the class `beside` stands next to it. */
function matchWords(words: readonly string[], beside: string): RegExp | null {
  const sorted = [...words].sort((a, b) => b.length - a.length).map((word) => RegExp.escape(word));
  const edges = beside === '' ? ['', ''] : [`(?<!${beside})`, `(?!${beside})`];
  return sorted.length === 0 ? null : new RegExp(`${edges[0]}(?:${sorted.join('|')})${edges[1]}`, 'g');
}
