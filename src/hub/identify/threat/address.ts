// Normalises addresses, ranges and names of feeds, and rejects those that cannot be meant.
import ipaddr from 'ipaddr.js';
import { canonicalIp } from '#kernel/net/address.ts';
import { ipv4Number, parseIpv4Span, parseIpv6Span, type Span } from './tables/ip-number.ts';

/** Not routable: private, loopback, link-local, multicast, reserved. Ranges for documentation and benchmarks are accepted. */
const unlistable4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
].map(parseIpv4Span);
const unlistable6 = ['::/16', 'fc00::/7', 'fe80::/10', 'ff00::/8'].map(parseIpv6Span);

const shortestV4 = 8;
const shortestV6 = 16;

/** A public address; `null` for anything else. Brackets around IPv6 are taken off. */
export function parseListedIp(text: string): string | null {
  const number = ipv4Number(text);
  if (number >= 0) {
    // Parts with leading zeros are ambiguous: octal to some programs.
    return /(?:^|\.)0\d/.test(text) || overlapsAny(unlistable4, { first: number, last: number }) ? null : text;
  }
  const ip = canonicalIp(text.replace(/^\[(.*)\]$/, '$1'));
  return ip === null || isUnlistable(ip) ? null : ip;
}

/** `address:port` or `[address]:port`. */
export function parseListedSocket(text: string): { ip: string; port: number } | null {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, Math.max(colon, 0));
  const digits = text.slice(colon + 1);
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  const isWritten = !host.includes(':') || host.startsWith('[');
  const ip = isWritten ? parseListedIp(host) : null;
  return ip === null || port < 1 || port > 65_535 ? null : { ip, port };
}

/** A range no wider than /8 (IPv6 /16) that overlaps nothing private; `null` for anything else. */
export function parseListedRange(text: string): string | null {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const ip = canonicalIp(address);
  const length = Number(digits);
  const isV6 = ip?.includes(':') ?? false;
  // An IPv4 address written as IPv6 has another length of its range than it says.
  if (
    ip === null ||
    digits === '' ||
    isV6 !== address.includes(':') ||
    length > (isV6 ? 128 : 32) ||
    length < (isV6 ? shortestV6 : shortestV4)
  ) {
    return null;
  }
  const written = `${ip}/${length}`;
  const first = isV6
    ? ipaddr.IPv6.networkAddressFromCIDR(written).toRFC5952String()
    : ipaddr.IPv4.networkAddressFromCIDR(written).toString();
  const range = `${first}/${length}`;
  return isUnlistable(range) ? null : range;
}

/** An address or a range, whichever it is. */
export function parseListedAddress(text: string): { kind: 'ip' | 'cidr'; value: string } | null {
  const ip = parseListedIp(text);
  const range = ip ?? parseListedRange(text);
  return range === null ? null : { kind: ip === null ? 'cidr' : 'ip', value: range };
}

/** A name of at least two labels, lower case; `null` for anything else, also for addresses. */
export function parseListedName(text: string): string | null {
  const name = text.toLowerCase().replace(/\.$/, '');
  const isName =
    name.length <= 253 && /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/.test(name);
  return isName ? name : null;
}

function isUnlistable(range: string): boolean {
  return range.includes(':')
    ? overlapsAny(unlistable6, parseIpv6Span(range))
    : overlapsAny(unlistable4, parseIpv4Span(range));
}

function overlapsAny<N extends number | bigint>(spans: readonly Span<N>[], { first, last }: Span<N>): boolean {
  for (const span of spans) {
    if (span.first <= last && first <= span.last) {
      return true;
    }
  }
  return false;
}
