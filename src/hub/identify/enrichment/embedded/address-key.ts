// Parses a canonical IP literal to the numbers that the tables are searched with.
import { ipv4Number } from '#kernel/net/address.ts';

/** IPv4 as one unsigned number. */
export interface Ipv4Key {
  family: 4;
  value: number;
}

/** The first 64 bits of an IPv6 address as two unsigned numbers: the tables have no longer prefixes. */
export interface Ipv6Key {
  family: 6;
  high: number;
  low: number;
}

const colon = 58;

/** `address` is canonical (kernel/net/address.ts); `null` for text that is no address. */
export function parseAddressKey(address: string): Ipv4Key | Ipv6Key | null {
  return address.includes(':') ? parseIpv6(address) : parseIpv4(address);
}

function parseIpv4(address: string): Ipv4Key | null {
  const value = ipv4Number(address);
  return value < 0 ? null : { family: 4, value };
}

/** Groups before `::` fill from the left, those after it from the right. */
function parseIpv6(address: string): Ipv6Key | null {
  const groups: number[] = [];
  let gapAt = -1;
  let group = -1;
  for (let index = 0; index < address.length; index += 1) {
    const code = address.charCodeAt(index);
    if (code === colon) {
      if (group >= 0) {
        groups.push(group);
        group = -1;
      }
      if (address.charCodeAt(index + 1) === colon) {
        gapAt = groups.length;
      }
      continue;
    }
    const digit = hexDigit(code);
    if (digit < 0) {
      return null;
    }
    group = (group < 0 ? 0 : group * 16) + digit;
    if (group > 0xffff) {
      return null;
    }
  }
  if (group >= 0) {
    groups.push(group);
  }
  if (gapAt < 0 ? groups.length !== 8 : groups.length > 7) {
    return null;
  }
  const missing = 8 - groups.length;
  const at = (place: number): number => {
    if (gapAt < 0 || place < gapAt) {
      return groups[place] ?? 0;
    }
    return place < gapAt + missing ? 0 : (groups[place - missing] ?? 0);
  };
  return { family: 6, high: at(0) * 65_536 + at(1), low: at(2) * 65_536 + at(3) };
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) {
    return code - 48;
  }
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
