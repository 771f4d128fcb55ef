// Replaces what identifies somebody in the output of a router. Each text keeps its length in bytes.
import { canonicalIp } from '#kernel/net/address.ts';
import { randomHex } from '#kernel/text/secret.ts';
import { createMapping, type Mapping } from './mapping.ts';
import { findNames, findTokens, type KnownWords, type Token, type TokenKind } from './tokens.ts';

export interface Replacement {
  kind: Exclude<TokenKind, 'secret'>;
  from: string;
  to: string;
}

export interface OriginalText {
  bytes: Uint8Array;
  /** The answer broke off, maybe inside of an original. */
  isCut: boolean;
}

export interface AnonymisedTexts {
  texts: Buffer[];
  /** One for each original, without those that stay as they are. */
  replacements: Replacement[];
  words: KnownWords;
}

/** How many keys are tried until no original is the replacement of another one. */
const mostKeys = 200;

/**
 * Replaces the originals of all texts by one random mapping, whose key is not kept. Secrets become asterisks. No original is
 * the replacement of another one; throws when no such mapping is found.
 */
export function anonymiseTexts(originals: readonly OriginalText[], known: KnownWords): AnonymisedTexts {
  const texts = originals.map(({ bytes, isCut }) => ({ text: Buffer.from(bytes).toString('latin1'), isCut }));
  const names = [...new Set([...known.names, ...texts.flatMap(({ text }) => findNames(text))])];
  const words = { names, secrets: known.secrets.filter((secret) => secret !== '') };
  const found = texts.map(({ text, isCut }) => findTokens(text, words, isCut));
  const replacements = chooseReplacements(found.flat());
  const images = new Map(replacements.map(({ kind, from, to }) => [`${kind} ${from}`, to]));
  return {
    texts: texts.map(({ text }, at) => {
      const bytes = Buffer.from(text, 'latin1');
      for (const { kind, text: original, from, places } of found[at] ?? []) {
        const image = kind === 'secret' ? '*'.repeat(original.length) : (images.get(`${kind} ${original}`) ?? original);
        for (let index = 0; index < image.length; index += 1) {
          bytes[places?.[index] ?? from + index] = image.charCodeAt(index);
        }
      }
      return bytes;
    }),
    replacements: replacements.filter(({ from, to }) => from !== to),
    words,
  };
}

function chooseReplacements(tokens: readonly Token[]): Replacement[] {
  const distinct = new Map(tokens.map((token) => [`${token.kind} ${token.text}`, token]));
  const originals = [...distinct.values()].filter(({ kind }) => kind !== 'secret') as (Token & {
    kind: Replacement['kind'];
  })[];
  const own = new Set(originals.map(({ kind, text }) => toCanonical(kind, text)));
  for (let tried = 0; tried < mostKeys; tried += 1) {
    const mapping = createMapping(randomHex(64));
    const replacements = originals.map(({ kind, text }) => ({
      kind,
      from: text,
      to: replaceToken(mapping, kind, text),
    }));
    if (replacements.every((one) => !isIdentifying(one.kind, one.from) || !own.has(toCanonical(one.kind, one.to)))) {
      return replacements;
    }
  }
  throw new Error(
    'the capture cannot be anonymised: its addresses fill whole ranges, so that each replacement is the address of another device; capture a router with fewer of them',
  );
}

/** Returns the same text for all notations of one address, MAC or client. */
export function toCanonical(kind: TokenKind, text: string): string {
  switch (kind) {
    case 'address':
      return canonicalIp(text) ?? text;
    case 'name':
    case 'secret':
      return text;
    default:
      return text.replace(/[^\da-f]/gi, '').toLowerCase();
  }
}

/** False for 0.0.0.0/8, loopback, multicast and masks, parts of addresses, and the MACs of only zeros or only ones. */
export function isIdentifying(kind: TokenKind, text: string): boolean {
  const canonical = toCanonical(kind, text);
  if (kind === 'address') {
    return /^\d+(?:\.\d+){3}$|:/.test(canonical) && !/^(?:0\.|127\.|2[2-5]\d\.|::|ff)/.test(canonical);
  }
  return kind === 'MAC' ? !/^(?:0{12}|f{12})$/.test(canonical) : true;
}

function replaceToken(mapping: Mapping, kind: Replacement['kind'], text: string): string {
  switch (kind) {
    case 'address':
      return text.includes(':') ? mapping.replaceIpv6(text) : replaceCutIpv4(mapping, text);
    case 'MAC':
      return writeDigits(text, mapping.replaceMac(toCanonical(kind, text)));
    case 'client':
      return writeDigits(text, replaceClient(mapping, toCanonical(kind, text)));
    case 'name':
      return mapping.replaceName(text);
  }
}

/** Replaces an address of which an answer that broke off may have only the first octets. */
function replaceCutIpv4(mapping: Mapping, text: string): string {
  const octets = text.split('.');
  const whole = [...octets, '1', '1', '1'].slice(0, 4).map((octet) => (Number(octet) <= 255 ? octet || '1' : '1'));
  const mapped = mapping.replaceIpv4(whole.join('.')).split('.');
  return octets.map((octet, at) => (octet === '' ? '' : (mapped[at] ?? '').padStart(octet.length, '1'))).join('.');
}

/** Replaces a client identifier: a MAC behind the hardware type 01, a MAC alone, or any other digits. */
function replaceClient(mapping: Mapping, digits: string): string {
  if (digits.length === 14 && digits.startsWith('01')) {
    return `01${mapping.replaceMac(digits.slice(2))}`;
  }
  return digits.length === 12 ? mapping.replaceMac(digits) : mapping.replaceClientId(digits);
}

/** Writes digits with the separators and the case of `text`. */
function writeDigits(text: string, digits: string): string {
  let at = 0;
  const written = text.replace(/[\da-f]/gi, () => {
    at += 1;
    return digits[at - 1] ?? '0';
  });
  return /[A-F]/.test(text) ? written.toUpperCase() : written;
}
