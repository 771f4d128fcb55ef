// Reads vendor_a's `show arp` and `show ipv6 neighbor cache`.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { isBlockEnd } from '../block-ends.ts';
import type { Neighbour } from '../driver.ts';
import { createUnparsed, type NeighbourTable } from '../reader.ts';
import { isLogLine } from './nat.ts';

/** Rows are `LAN1(port1)  192.168.100.2  00:00:5e:00:53:00  1085|permanent`. */
export function parseVendorAArp(lines: readonly string[]): NeighbourTable {
  const neighbours: Neighbour[] = [];
  const unparsed = createUnparsed();
  let declared: number | null = null;
  for (const line of lines) {
    const [interfaceName = '', addressText = '', macText = '', left = ''] = line.trim().split(/\s+/);
    const address = canonicalIp(addressText);
    const mac = canonicalMac(macText);
    const count = /^\s*(?:Count|カウント数)\s*[:：]\s*(\d{1,9})\s*$/.exec(line);
    if (count) {
      declared = Number(count[1]);
    } else if (address && mac) {
      neighbours.push({ address, mac, interfaceName, heardSec: heardSec(left), isOwn: false });
    } else if (!isQuiet(line, null) && !/IP\s?(?:address|アドレス)/i.test(line)) {
      unparsed.add(line);
    }
  }
  return { neighbours, declared, unparsed: unparsed.value() };
}

/** Life of an ARP entry in seconds; what is left of it counts down. */
const arpLifeSec = 1200;

/** `null` for `permanent` and what is no number. */
function heardSec(left: string): number | null {
  return /^\d{1,9}$/.test(left) ? Math.max(0, arpLifeSec - Number(left)) : null;
}

/** Rows are `address mac interface state`; a long address may stand on a line of its own before the rest. */
export function parseVendorANdp(lines: readonly string[]): NeighbourTable {
  const neighbours: Neighbour[] = [];
  const unparsed = createUnparsed();
  let waiting: string | null = null;
  for (const line of lines) {
    const tokens = line.trim().split(/\s+/);
    if (waiting !== null) {
      tokens.unshift(waiting);
      waiting = null;
    }
    const address = canonicalIp(tokens[0] ?? '');
    const mac = canonicalMac(tokens[1] ?? '');
    if (address?.includes(':') && tokens.length === 1) {
      waiting = address;
    } else if (address && mac && tokens[2] && tokens[3] !== 'INCOMPLETE') {
      const heardSec = tokens[3] === 'REACHABLE' ? 0 : null;
      neighbours.push({ address, mac, interfaceName: tokens[2], heardSec, isOwn: false });
    } else if (!isQuiet(line, address)) {
      unparsed.add(line);
    }
  }
  return { neighbours, declared: null, unparsed: unparsed.value() };
}

/** Headers, closing lines, log lines, and entries whose link-layer address is not known yet. */
function isQuiet(line: string, address: string | null): boolean {
  const text = line.trim();
  return (
    text === '' ||
    isLogLine(line) ||
    isBlockEnd(line) ||
    /MAC\s?(?:address|アドレス)/i.test(text) ||
    (!!address && /INCOMPLETE/i.test(text))
  );
}
