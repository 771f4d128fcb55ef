// Reads vendor_a's `show arp` and `show ipv6 neighbor cache`.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { isBlockEnd } from '../block-ends.ts';
import type { Neighbour } from '../driver.ts';
import { createUnparsed, type NeighbourTable } from '../reader.ts';
import { isLogLine } from './nat.ts';

/** Rows are `LAN1(port1)  192.168.100.2  00:00:5e:00:53:00  1085|permanent`: the number is the remaining seconds. */
export function parseVendorAArp(lines: readonly string[]): NeighbourTable {
  const neighbours: Neighbour[] = [];
  const unparsed = createUnparsed();
  let declared: number | null = null;
  for (const line of lines) {
    const [interfaceName = '', addressText = '', macText = '', remaining = ''] = line.trim().split(/\s+/);
    const address = canonicalIp(addressText);
    const mac = canonicalMac(macText);
    const count = /^\s*(?:Count|カウント数)\s*[:：]\s*(\d{1,9})\s*$/.exec(line);
    if (count) {
      declared = Number(count[1]);
    } else if (address && mac) {
      neighbours.push({ address, mac, interfaceName, heardSec: parseHeardSec(remaining), isOwn: false });
    } else if (!isExpected(line, null) && !/IP\s?(?:address|アドレス)/i.test(line)) {
      unparsed.add(line);
    }
  }
  return { neighbours, declared, unparsed: unparsed.value() };
}

/** Full life of an ARP entry. */
const arpLifeSec = 1200;

/** Converts the remaining life to seconds since the router last heard from the neighbour; null for `permanent`. */
function parseHeardSec(remaining: string): number | null {
  return /^\d{1,9}$/.test(remaining) ? Math.max(0, arpLifeSec - Number(remaining)) : null;
}

/** Rows are `address mac interface state`. The router may print a long address on one line and the rest on the next. */
export function parseVendorANdp(lines: readonly string[]): NeighbourTable {
  const neighbours: Neighbour[] = [];
  const unparsed = createUnparsed();
  let wrappedAddress: string | null = null;
  for (const line of lines) {
    const tokens = line.trim().split(/\s+/);
    if (wrappedAddress !== null) {
      tokens.unshift(wrappedAddress);
      wrappedAddress = null;
    }
    const address = canonicalIp(tokens[0] ?? '');
    const mac = canonicalMac(tokens[1] ?? '');
    if (address?.includes(':') && tokens.length === 1) {
      wrappedAddress = address;
    } else if (address && mac && tokens[2] && tokens[3] !== 'INCOMPLETE') {
      const heardSec = tokens[3] === 'REACHABLE' ? 0 : null;
      neighbours.push({ address, mac, interfaceName: tokens[2], heardSec, isOwn: false });
    } else if (!isExpected(line, address)) {
      unparsed.add(line);
    }
  }
  return { neighbours, declared: null, unparsed: unparsed.value() };
}

/** Whether the line is a usual one without a neighbour: header, end, log line, or entry whose MAC is not known yet. */
function isExpected(line: string, address: string | null): boolean {
  const text = line.trim();
  return (
    text === '' ||
    isLogLine(line) ||
    isBlockEnd(line) ||
    /MAC\s?(?:address|アドレス)/i.test(text) ||
    (!!address && /INCOMPLETE/i.test(text))
  );
}
