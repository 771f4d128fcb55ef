// Parses a canonical IP literal to the numbers that the tables are searched with.
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ipv4Number } from '#kernel/net/address.ts';

/** Of IPv6 the first 64 bits as two unsigned numbers: the tables have no longer prefixes. */
export type AddressKey = { family: 4; value: number } | { family: 6; high: number; low: number };

/** `address` is canonical (kernel/net/address.ts); `null` for text that is no address. */
export function parseAddressKey(address: string): AddressKey | null {
  const value = ipv4Number(address);
  if (value >= 0) {
    return { family: 4, value };
  }
  // A zone or dotted digits are valid, but not canonical. Node checks an address faster than the library, which parses it for that.
  if (!isIPv6(address) || !/^[\da-f:]+$/i.test(address)) {
    return null;
  }
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv6.parse(address).parts;
  return { family: 6, high: a * 65_536 + b, low: c * 65_536 + d };
}
