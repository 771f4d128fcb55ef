// Canonical IP and MAC addresses, and the kind of network an address belongs to.
import ipaddr from 'ipaddr.js';

/**
 * The canonical form of an IP literal: dotted IPv4 without leading zeros, or lower-case compressed IPv6 (RFC 5952)
 * without zone; an IPv4-mapped IPv6 address becomes the IPv4 one. `null` for anything else.
 */
export function canonicalIp(text: string): string | null {
  if (isDottedIpv4(text)) {
    return text;
  }
  if (!text.includes(':') || text.length > 64) {
    return null;
  }
  const bare = text.split('%', 1)[0] ?? '';
  if (!ipaddr.IPv6.isValid(bare)) {
    return null;
  }
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
}

/** A host as URLs spell it, without the brackets of an IPv6 address (RFC 3986 §3.2.2). */
export function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/** Lower-case colon form of a MAC written with colons, hyphens, dotted quads or nothing between; `null` for other text. */
export function canonicalMac(text: string): string | null {
  const written = /^(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|(?:[\da-f]{4}\.){2}[\da-f]{4}|[\da-f]{12})$/i;
  if (!written.test(text)) {
    return null;
  }
  const digits = text.replace(/[:.-]/g, '').toLowerCase();
  return digits.replace(/(..)(?!$)/g, '$1:');
}

/**
 * The MAC that an IPv6 interface identifier was made from: EUI-64 with `ff:fe` inside and the universal bit turned
 * (RFC 4291 appendix A). `null` for any other address; `ip` is canonical.
 */
export function eui64Mac(ip: string): string | null {
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) {
    return null;
  }
  const bytes = ipaddr.IPv6.parse(ip).toByteArray().slice(8);
  const [first = 0, second = 0, third = 0, marker, end, ...rest] = bytes;
  if (marker !== 0xff || end !== 0xfe) {
    return null;
  }
  return [first ^ 0x02, second, third, ...rest].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** RFC 1918 (10/8, 172.16/12, 192.168/16) or IPv6 unique local (fc00::/7). `ip` is canonical. */
export function isPrivateIp(ip: string): boolean {
  return isPrivateTarget(ip) || /^f[cd][\da-f]{2}:/.test(ip);
}

/** An IPv4 address of RFC 1918: the only kind of address a router may be reached at. `ip` is canonical. */
export function isPrivateTarget(ip: string): boolean {
  return isDottedIpv4(ip) && /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(ip);
}

/** 127/8 or ::1. `ip` is canonical. */
export function isLoopback(ip: string): boolean {
  return ip === '::1' || (isDottedIpv4(ip) && ip.startsWith('127.'));
}

const dot = 46;

/** An IPv4 address as one unsigned number; -1 for anything that is not dotted IPv4. Fast, for hot paths. */
export function ipv4Number(text: string): number {
  let value = 0;
  let part = -1;
  let dots = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === dot) {
      if (part < 0) {
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

const dotted = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function isDottedIpv4(text: string): boolean {
  const parts = dotted.exec(text)?.slice(1) ?? [];
  return parts.length === 4 && parts.every((part) => Number(part) <= 255 && (part.length === 1 || part[0] !== '0'));
}

const localRanges = new Set<string>([
  'unspecified',
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
  'multicast',
  'broadcast',
]);

/** Whether traffic to an IP literal stays on the machine or its network. */
export function isLocalIp(ip: string): boolean {
  return localRanges.has(ipaddr.parse(ip).range());
}

/**
 * An address of the public Internet: not special in any registry of IANA (RFC 6890), and for IPv6 within the global
 * unicast space 2000::/3 (RFC 4291 2.4). `ip` is canonical.
 */
export function isPublicIp(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.parse(ip).range() === 'unicast' && /^(?:[^:]*$|[23][\da-f]{3}:)/.test(ip);
}

/** Whether `host`, an address or a name as a URL or a setting spells it, is this machine: `localhost`, 127/8 or ::1. */
export function isLoopbackHost(host: string): boolean {
  const bare = unbracketed(host);
  return bare === 'localhost' || isLoopback(canonicalIp(bare) ?? '');
}
