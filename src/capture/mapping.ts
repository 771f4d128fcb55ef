// The mapping of a capture: every address, MAC and name gets another one of the same kind and of the same length.
// It is prefix-preserving as Crypto-PAn is, by octets and hexadecimal digits instead of bits, so that no column moves.
import { eui64Mac } from '#kernel/net/address.ts';
import { createPermute, type Permute } from './permute.ts';

export interface Mapping {
  /** A dotted IPv4 address. Addresses that share whole octets at their beginning still share as many. */
  ipv4(address: string): string;
  /** An IPv6 address as it is written; the result has the same form. Shared digits at the beginning stay shared up to /64. */
  ipv6(address: string): string;
  /** Twelve hexadecimal digits; the maker's six stay. */
  mac(digits: string): string;
  /** Hexadecimal digits of a DHCP client, of which the first byte, its type, stays. */
  clientId(digits: string): string;
  /** Letters become letters and digits become digits; all other characters stay. */
  name(text: string): string;
}

/** One key gives one mapping. A key of 128 random bits or more cannot be guessed. */
export function createMapping(key: string): Mapping {
  const permute = createPermute(key);
  return {
    ipv4: (address) => mapIpv4(permute, address),
    ipv6: (address) => mapIpv6(permute, address),
    mac: (digits) => mapMac(permute, digits.toLowerCase()),
    clientId: (digits) => digits.slice(0, 2) + mapDigits(permute, 'client', digits.slice(2).toLowerCase()),
    name: (text) => mapName(permute, text),
  };
}

/** First octets that stay: "this network", private, shared, loopback, link-local, multicast and reserved ranges begin with them. */
const keptFirst = new Set([0, 10, 100, 127, 169, 172, 192]);

function mapIpv4(permute: Permute, address: string): string {
  const octets = address.split('.').map(Number);
  const first = octets[0] ?? 0;
  if (first === 0 || first === 127 || first >= 224) {
    return address;
  }
  return octets
    .map((octet, at) => {
      const range = rangeOfOctet(octets, at);
      const isAlike = (other: number) => String(other).length === String(octet).length && range(other) === range(octet);
      return permute(`v4 ${octets.slice(0, at).join('.')}`, octet, isAlike);
    })
    .join('.');
}

/** Which well-known range an octet leads into; an octet is replaced only by one that leads into the same. */
function rangeOfOctet([first]: readonly number[], at: number): (octet: number) => number | boolean {
  if (at === 0) {
    return (octet) => (keptFirst.has(octet) || octet >= 224 ? octet : -1);
  }
  if (at > 1) {
    return () => true;
  }
  switch (first) {
    case 172:
      return (octet) => octet >= 16 && octet <= 31;
    case 192:
      return (octet) => octet === 168;
    case 169:
      return (octet) => octet === 254;
    case 100:
      return (octet) => octet >= 64 && octet <= 127;
    default:
      return () => true;
  }
}

/** Digits that say which kind of address it is, and stay: unique local, link-local, else the first one. */
function keptDigits(digits: string): number {
  return /^f[cd]/.test(digits) ? 2 : /^fe[89ab]/.test(digits) ? 4 : 1;
}

function mapIpv6(permute: Permute, address: string): string {
  const [, embedded] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  if (embedded !== undefined) {
    const before = address.slice(0, -embedded.length);
    return mapIpv6(permute, `${before}0:0`).slice(0, before.length) + mapIpv4(permute, embedded);
  }
  const [before = '', after] = address.split('::').map(toGroups);
  const hidden = after === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: hidden }, () => '0'), ...(after ?? [])];
  const digits = groups.map((group) => group.toLowerCase().padStart(4, '0')).join('');
  if (digits.startsWith('0000') || digits.startsWith('ff')) {
    return address;
  }
  const mapped = mapNetwork(permute, digits.slice(0, 16)) + mapInterface(permute, digits);
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

function mapNetwork(permute: Permute, digits: string): string {
  const kept = keptDigits(digits);
  return digits.slice(0, kept) + mapDigits(permute, 'v6', digits, 4).slice(kept);
}

/** An interface identifier that was made from a MAC is made from the replacement of that MAC. */
function mapInterface(permute: Permute, digits: string): string {
  const own = digits.slice(16);
  if (isFromMac(own)) {
    const mac = eui64Mac((`0000000000000000${own}`.match(/..../g) ?? []).join(':'))?.replaceAll(':', '') ?? '';
    const mapped = mapMac(permute, mac);
    return `${own.slice(0, 10)}${mapped.slice(6)}`;
  }
  let mapped = own;
  do {
    mapped = mapDigits(permute, `v6 ${digits.slice(0, 16)}`, mapped, 4);
  } while (isFromMac(mapped));
  return mapped;
}

function isFromMac(digits: string): boolean {
  return digits.slice(6, 10) === 'fffe';
}

function mapMac(permute: Permute, digits: string): string {
  if (/^(?:0{12}|f{12})$/.test(digits)) {
    return digits;
  }
  const place = `mac ${digits.slice(0, 6)}`;
  const first = mapDigits(permute, place, digits.slice(6, 8));
  // The last two bytes are a group of the IPv6 address that is made from a MAC.
  return digits.slice(0, 6) + first + mapDigits(permute, place + digits.slice(6, 8), digits.slice(8), 4);
}

/** Replaces digits from the left. In each group of `group` digits leading zeros stay, so that it is written as long as before. */
function mapDigits(permute: Permute, place: string, digits: string, group = 0): string {
  return [...digits]
    .map((digit, at) => {
      const inGroup = group === 0 ? '1' : digits.slice(at - (at % group), at);
      const isLeading = /^0*$/.test(inGroup);
      const value = Number.parseInt(digit, 16);
      const isAlike = (other: number) => other < 16 && (!isLeading || (other === 0) === (value === 0));
      return permute(`${place} ${digits.slice(0, at)}`, value, isAlike).toString(16);
    })
    .join('');
}

const kinds = [/[0-9]/, /[a-z]/, /[A-Z]/];

function mapName(permute: Permute, text: string): string {
  return [...text]
    .map((character, at) => {
      const code = character.charCodeAt(0);
      // A byte beyond ASCII belongs to a character of two or three bytes: letters in their place take as many columns.
      const kind = code > 0x7f ? /[a-z]/ : kinds.find((one) => one.test(character));
      const from = code > 0x7f ? 0x61 + (code % 26) : code;
      return kind === undefined
        ? character
        : String.fromCharCode(permute(`name ${at} ${text}`, from, (other) => kind.test(String.fromCharCode(other))));
    })
    .join('');
}
