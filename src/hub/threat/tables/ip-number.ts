// Addresses as numbers.
import ipaddr from 'ipaddr.js';

/** The number of a dotted IPv4 address; -1 for anything else. */
export function ipv4Number(text: string): number {
  let value = 0;
  let part = -1;
  let dots = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 46) {
      if (part < 0 || dots === 3) {
        return -1;
      }
      value = value * 256 + part;
      part = -1;
      dots += 1;
    } else if (code >= 48 && code <= 57) {
      part = (part < 0 ? 0 : part * 10) + code - 48;
      if (part > 255) {
        return -1;
      }
    } else {
      return -1;
    }
  }
  return dots === 3 && part >= 0 ? value * 256 + part : -1;
}

/** The number of a valid IPv6 address. */
export function ipv6Number(text: string): bigint {
  return ipaddr.IPv6.parse(text).parts.reduce((value, part) => (value << 16n) | BigInt(part), 0n);
}

export interface Span<N> {
  first: N;
  last: N;
}

/** First and last address of `a.b.c.d` or `a.b.c.d/length`. */
export function ipv4Span(text: string): Span<number> {
  const slash = text.indexOf('/');
  const first = ipv4Number(slash < 0 ? text : text.slice(0, slash));
  return { first, last: ipv4Last(text, first) };
}

/** The last address of the range `text` that begins with `first`. */
export function ipv4Last(text: string, first: number): number {
  const slash = text.indexOf('/');
  return slash < 0 ? first : first + 2 ** (32 - Number(text.slice(slash + 1))) - 1;
}

export function ipv4Text(number: number): string {
  return `${number >>> 24}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

export function ipv6Span(text: string): Span<bigint> {
  const slash = text.indexOf('/');
  const first = ipv6Number(slash < 0 ? text : text.slice(0, slash));
  const size = slash < 0 ? 1n : 1n << BigInt(128 - Number(text.slice(slash + 1)));
  return { first, last: first + size - 1n };
}
