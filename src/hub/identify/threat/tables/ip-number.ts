// Addresses as numbers.
import ipaddr from 'ipaddr.js';
import { ipv4Number } from '#kernel/net/address.ts';

export { ipv4Number };

/** The number of a valid IPv6 address. */
export function parseIpv6Number(text: string): bigint {
  return ipaddr.IPv6.parse(text).parts.reduce((value, part) => (value << 16n) | BigInt(part), 0n);
}

export interface Span<N> {
  first: N;
  last: N;
}

/** First and last address of `a.b.c.d` or `a.b.c.d/length`. */
export function parseIpv4Span(text: string): Span<number> {
  const slash = text.indexOf('/');
  const first = ipv4Number(slash < 0 ? text : text.slice(0, slash));
  return { first, last: findIpv4Last(text, first) };
}

/** The last address of the range `text` that begins with `first`. */
export function findIpv4Last(text: string, first: number): number {
  const slash = text.indexOf('/');
  return slash < 0 ? first : first + 2 ** (32 - Number(text.slice(slash + 1))) - 1;
}

export function formatIpv4(number: number): string {
  return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

export function parseIpv6Span(text: string): Span<bigint> {
  const slash = text.indexOf('/');
  const first = parseIpv6Number(slash < 0 ? text : text.slice(0, slash));
  const size = slash < 0 ? 1n : 1n << BigInt(128 - Number(text.slice(slash + 1)));
  return { first, last: first + size - 1n };
}
