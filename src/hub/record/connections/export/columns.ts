// The columns of an export, in their order.
import type { Columns } from './rows/cells.ts';

export const exportColumns: Columns = [
  ['source', 'src', 'srcMac', 'srcVendor', 'srcDnsName', 'srcMdnsName'],
  ['destination', 'dst', 'dstHost'],
  ['port', 'dport', 'proto'],
  ['destination', 'country', 'city', 'org'],
  ['row', 'firstSeen', 'lastSeen', 'ttl'],
  ['observers', 'source', 'observedBy'],
  ['verdict', 'threatConfidence', 'threatSource', 'threatTag', 'threatLevel'],
  ['agent', 'agentHost', 'process'],
  ['path', 'path', 'pathState', 'doubleNat'],
];

/** Byte order mark and the line of names. */
export const csvHead = `\u{feff}${exportColumns.flatMap(([, ...names]) => names).join(',')}\r\n`;
