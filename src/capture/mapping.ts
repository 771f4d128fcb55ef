// Replaces the addresses, MACs and names of a capture by others of the same kind and length, so that no column moves.
// Common prefixes are kept as by Crypto-PAn, but by octets and hexadecimal digits instead of bits.
import { memoize } from '#kernel/memoize.ts';
import { eui64Mac } from '#kernel/net/address.ts';
import { createPermutation, drawNumbers, type Permutation } from './permutation.ts';

export interface Mapping {
  /** Replaces a dotted IPv4 address. Two addresses share as many leading octets as before. */
  replaceIpv4(address: string): string;
  /** Replaces an IPv6 address in any notation, and keeps the notation. Two addresses share as many leading digits as before, up to /64. */
  replaceIpv6(address: string): string;
  /** Replaces a MAC of twelve hexadecimal digits. The six digits of the maker stay. */
  replaceMac(digits: string): string;
  /** Replaces the hexadecimal digits of a DHCP client identifier. The first byte is its type and stays. */
  replaceClientId(digits: string): string;
  /** Replaces letters by letters and digits by digits. All other characters stay. */
  replaceName(text: string): string;
}

/**
 * Each key gives another mapping. Use at least 128 random bits: a key that can be guessed reveals the originals. All
 * replacements are kept, so that an address or a name that comes again costs nothing.
 */
export function createMapping(key: string): Mapping {
  const permute = createPermutation(key);
  return {
    replaceIpv4: memoize((address) => replaceIpv4(permute, address)),
    replaceIpv6: memoize((address) => replaceIpv6(permute, address)),
    replaceMac: memoize((digits) => replaceMac(permute, digits.toLowerCase())),
    replaceClientId: (digits) => digits.slice(0, 2) + replaceDigits(permute, 'client', digits.slice(2).toLowerCase()),
    replaceName: memoize((text) => replaceName(key, text)),
  };
}

/** First octets of special ranges, which stay: "this network", private, shared, loopback and link-local. */
const keptFirst = new Set([0, 10, 100, 127, 169, 172, 192]);

const allOctets = Array.from({ length: 256 }, (_, octet) => octet);

/** By octet, those that may replace it: they are as wide, and `getRange` returns the same for them. */
type AlikeOctets = readonly (readonly number[])[];

function groupOctets(getRange: (octet: number) => number | boolean | null): AlikeOctets {
  const name = (octet: number) => `${String(octet).length} ${getRange(octet)}`;
  const groups = Map.groupBy(allOctets, name);
  return allOctets.map((octet) => groups.get(name(octet)) ?? []);
}

const alikeFirst = groupOctets((octet) => (keptFirst.has(octet) || octet >= 224 ? octet : null));
/** By the first octet, behind which some second octets are a special range. */
const alikeSecond: ReadonlyMap<number, AlikeOctets> = new Map([
  [100, groupOctets((octet) => octet >= 64 && octet <= 127)],
  [169, groupOctets((octet) => octet === 254)],
  [172, groupOctets((octet) => octet >= 16 && octet <= 31)],
  [192, groupOctets((octet) => octet === 168)],
]);
const alikeOther = groupOctets(() => null);

function replaceIpv4(permute: Permutation, address: string): string {
  const octets = address.split('.').map(Number);
  const first = octets[0] ?? 0;
  if (first === 0 || first === 127 || first >= 224) {
    return address;
  }
  return octets
    .map((octet, at) => {
      const alike = at === 0 ? alikeFirst : ((at === 1 ? alikeSecond.get(first) : undefined) ?? alikeOther);
      return permute(`v4 ${octets.slice(0, at).join('.')}`, octet, alike[octet] ?? []);
    })
    .join('.');
}

/** How many leading digits stay, because they make an address unique local, link-local or global. */
function countKeptDigits(digits: string): number {
  return /^f[cd]/.test(digits) ? 2 : /^fe[89ab]/.test(digits) ? 4 : 1;
}

function replaceIpv6(permute: Permutation, address: string): string {
  const [, embedded] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  if (embedded !== undefined) {
    const before = address.slice(0, -embedded.length);
    return replaceIpv6(permute, `${before}0:0`).slice(0, before.length) + replaceIpv4(permute, embedded);
  }
  const [before = '', after] = address.split('::').map(toGroups);
  const hidden = after === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: hidden }, () => '0'), ...(after ?? [])];
  const digits = groups.map((group) => group.toLowerCase().padStart(4, '0')).join('');
  if (digits.startsWith('0000') || digits.startsWith('ff')) {
    return address;
  }
  const mapped = replaceNetwork(permute, digits.slice(0, 16)) + replaceInterface(permute, digits);
  const written = groups.map((group, at) => withCase(mapped.slice(4 * at, 4 * at + 4).slice(-group.length), address));
  const tail = written.slice(before.length + hidden).join(':');
  return written.slice(0, before.length).join(':') + (after === undefined ? '' : `::${tail}`);
}

function toGroups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function withCase(digits: string, like: string): string {
  return /[A-F]/.test(like) ? digits.toUpperCase() : digits;
}

function replaceNetwork(permute: Permutation, digits: string): string {
  const kept = countKeptDigits(digits);
  return digits.slice(0, kept) + replaceDigits(permute, 'v6', digits, 4).slice(kept);
}

/** An interface identifier that was made from a MAC is made from the replacement of that MAC. */
function replaceInterface(permute: Permutation, digits: string): string {
  const own = digits.slice(16);
  if (isFromMac(own)) {
    const mac = eui64Mac((`0000000000000000${own}`.match(/..../g) ?? []).join(':'))?.replaceAll(':', '') ?? '';
    const mapped = replaceMac(permute, mac);
    return `${own.slice(0, 10)}${mapped.slice(6)}`;
  }
  let mapped = own;
  do {
    mapped = replaceDigits(permute, `v6 ${digits.slice(0, 16)}`, mapped, 4);
  } while (isFromMac(mapped));
  return mapped;
}

function isFromMac(digits: string): boolean {
  return digits.slice(6, 10) === 'fffe';
}

function replaceMac(permute: Permutation, digits: string): string {
  if (/^(?:0{12}|f{12})$/.test(digits)) {
    return digits;
  }
  const place = `mac ${digits.slice(0, 6)}`;
  const first = replaceDigits(permute, place, digits.slice(6, 8));
  // The last two bytes are a group of the IPv6 address that is made from a MAC.
  return digits.slice(0, 6) + first + replaceDigits(permute, place + digits.slice(6, 8), digits.slice(8), 4);
}

const allDigits = allOctets.slice(0, 16);
const nonZeroDigits = allDigits.slice(1);

/** Replaces digits from the left. In each group of `group` digits leading zeros stay, so that it is written as long as before. */
function replaceDigits(permute: Permutation, place: string, digits: string, group = 0): string {
  let isLeading = true;
  let replaced = '';
  for (let at = 0; at < digits.length; at += 1) {
    isLeading = group !== 0 && (isLeading || at % group === 0);
    const digit = digits.charAt(at);
    const isKept: boolean = isLeading && digit === '0';
    const value = Number.parseInt(digit, 16);
    const alike = isLeading ? nonZeroDigits : allDigits;
    replaced += isKept ? digit : permute(`${place} ${digits.slice(0, at)}`, value, alike).toString(16);
    isLeading &&= isKept;
  }
  return replaced;
}

const alphabets = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

function replaceName(key: string, text: string): string {
  const draws = drawNumbers(`${key}|name ${text}`, text.length);
  return Array.from(text, (character, at) => {
    // A byte beyond ASCII belongs to a character of two or three bytes: letters in their place take as many columns.
    const alphabet = alphabets.find((one) => one.includes(character > '\x7f' ? 'a' : character));
    return alphabet?.charAt((draws[at] as number) % alphabet.length) ?? character;
  }).join('');
}
