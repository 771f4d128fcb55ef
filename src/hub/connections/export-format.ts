// An exported connection as a CSV line or a JSON object: the same columns in the same order.
import type { Connection } from '#contract/model.ts';

type Cell = string | number | readonly string[] | null;

const columns = {
  src: (row) => row.src,
  srcMac: (row) => row.srcMac,
  srcVendor: (row) => row.srcVendor,
  srcDnsName: (row) => row.srcDnsName,
  srcMdnsName: (row) => row.srcMdnsName,
  dst: (row) => row.dst,
  dstHost: (row) => row.dstHost,
  dport: (row) => row.dport,
  proto: (row) => row.proto,
  country: (row) => row.country,
  city: (row) => row.city,
  org: (row) => row.org,
  firstSeen: (row) => row.firstSeen,
  lastSeen: (row) => row.lastSeen,
  ttl: (row) => row.ttl,
  source: (row) => row.source,
  observedBy: (row) => row.observedBy,
  threatConfidence: (row) => row.threat?.confidence ?? null,
  threatSource: (row) => row.threat?.source ?? null,
  threatTag: (row) => row.threat?.tag ?? null,
  threatLevel: (row) => row.threatLevel,
  agentHost: (row) => row.agentHost,
  process: (row) => row.process,
} as const satisfies Record<string, (row: Connection) => Cell>;

const cells = Object.entries(columns) as [name: string, of: (row: Connection) => Cell][];

/** Byte order mark and the line of names. */
export const csvHead = `\u{feff}${cells.map(([name]) => name).join(',')}\r\n`;

export function csvLine(row: Connection): string {
  return `${cells.map(([, of]) => csvCell(of(row))).join(',')}\r\n`;
}

export function exportedObject(row: Connection): Record<string, Cell> {
  return Object.fromEntries(cells.map(([name, of]) => [name, of(row)]));
}

/** What needs a second look: most of a million cells do not. */
const unusual = /["\r]|^\s*[=+\-@]|^\t/;

/** Quoted; what a spreadsheet would take for a formula gets an apostrophe in front. Lists are joined by `|`. */
function csvCell(cell: Cell): string {
  if (cell === null || (typeof cell === 'number' && cell >= 0)) {
    return `"${cell ?? ''}"`;
  }
  const text = typeof cell === 'string' ? cell : typeof cell === 'object' ? cell.join('|') : String(cell);
  if (!unusual.test(text)) {
    return `"${text}"`;
  }
  const guarded = /^(?:\s*[=+\-@]|[\t\r])/.test(text) ? `'${text}` : text;
  return `"${guarded.replace(/\r\n?/g, '\n').replaceAll('"', '""')}"`;
}
