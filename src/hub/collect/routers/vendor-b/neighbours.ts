// Reads vendor_b's `show ip arp` and `show ipv6 neighbors`.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { isBlockEnd } from '../block-ends.ts';
import type { Neighbour } from '../driver.ts';
import { createUnparsed, type NeighbourTable } from '../reader.ts';
import { isLogLine } from './nat.ts';

/** Rows are `Internet  address  age|-  aabb.ccdd.eeff  ARPA  interface`; incomplete ones name no host. */
export function parseVendorBArp(lines: readonly string[]): NeighbourTable {
  return readRows(lines, (tokens) => {
    const [family, address, age = '', mac, type, interfaceName] = tokens;
    return family === 'Internet' && type !== undefined
      ? { address, age, mac, interfaceName, isOwn: age === '-' }
      : null;
  });
}

/** Rows are `address age|- mac|- state interface`; point-to-point entries have no MAC and name no host. */
export function parseVendorBNdp(lines: readonly string[]): NeighbourTable {
  return readRows(lines, (tokens) => {
    const [address, age = '', mac, , interfaceName] = tokens;
    return /^(?:\d+|-)$/.test(age) ? { address, age, mac, interfaceName, isOwn: false } : null;
  });
}

interface Cells {
  address: string | undefined;
  /** Minutes. */
  age: string;
  mac: string | undefined;
  interfaceName: string | undefined;
  isOwn: boolean;
}

function readRows(lines: readonly string[], cellsOf: (tokens: string[]) => Cells | null): NeighbourTable {
  const neighbours: Neighbour[] = [];
  const unparsed = createUnparsed();
  for (const line of lines) {
    const cells = cellsOf(line.trim().split(/\s+/));
    const address = canonicalIp(cells?.address ?? '');
    const mac = canonicalMac(cells?.mac ?? '');
    if (address && mac && cells?.interfaceName) {
      const heardSec = /^\d{1,7}$/.test(cells.age) ? Number(cells.age) * 60 : null;
      neighbours.push({ address, mac, interfaceName: cells.interfaceName, heardSec, isOwn: cells.isOwn });
    } else if (!isQuiet(line, address, cells?.mac)) {
      unparsed.add(line);
    }
  }
  return { neighbours, declared: null, unparsed: unparsed.value() };
}

function isQuiet(line: string, address: string | null, mac: string | undefined): boolean {
  const hasNoHost = address !== null && (mac === '-' || mac === 'Incomplete');
  return (
    hasNoHost ||
    line.trim() === '' ||
    isLogLine(line) ||
    isBlockEnd(line) ||
    /^\s*(?:Protocol\s+Address|IPv6 Address|Load for|Time source)/.test(line)
  );
}
