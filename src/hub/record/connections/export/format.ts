// An exported connection as a CSV line or a JSON object: the same columns in the same order.
import type { ListedConnection } from '../query/page.ts';

type Cell = string | number | readonly string[] | null;

/** The columns in their order, as JSON has them. */
export function toExported(row: ListedConnection) {
  const { threat, path } = row;
  return {
    src: row.src,
    srcMac: row.srcMac,
    srcVendor: row.srcVendor,
    srcDnsName: row.srcDnsName,
    srcMdnsName: row.srcMdnsName,
    dst: row.dst,
    dstHost: row.dstHost,
    dport: row.dport,
    proto: row.proto,
    country: row.country,
    city: row.city,
    org: row.org,
    firstSeen: row.firstSeen,
    lastSeen: row.lastSeen,
    ttl: row.ttl,
    source: row.source,
    observedBy: row.observedBy,
    threatConfidence: threat === null ? null : threat.confidence,
    threatSource: threat === null ? null : threat.source,
    threatTag: threat === null ? null : threat.tag,
    threatLevel: row.threatLevel,
    agentHost: row.agentHost,
    process: row.process,
    // From the inside to the outside; empty when the order is not known.
    path: path === undefined || path.state === 'unknown' ? [] : path.hops.map(({ routerId }) => routerId),
    pathState: path?.state ?? null,
    doubleNat: path?.doubleNat ?? null,
  } satisfies Record<string, Cell>;
}

export type ExportedConnection = ReturnType<typeof toExported>;

type Column = keyof ExportedConnection;

/** The names of the columns, in the order of `toExported`. */
const columns = [
  ...(['src', 'srcMac', 'srcVendor', 'srcDnsName', 'srcMdnsName', 'dst', 'dstHost', 'dport', 'proto'] as const),
  ...(['country', 'city', 'org', 'firstSeen', 'lastSeen', 'ttl', 'source', 'observedBy'] as const),
  ...(['threatConfidence', 'threatSource', 'threatTag', 'threatLevel', 'agentHost', 'process'] as const),
  ...(['path', 'pathState', 'doubleNat'] as const),
] satisfies Column[];

/** Byte order mark and the line of names. */
export const csvHead = `\u{feff}${columns.join(',')}\r\n`;

export function formatCsvLine(row: ExportedConnection): string {
  const texts = Object.values(row).map(toText);
  const line = unusual.test(texts.join('\n')) ? texts.map(escapeCell) : texts;
  return `"${line.join('","')}"\r\n`;
}

/** Matches lines with a cell to escape: most of fifty thousand have none. */
const unusual = /["\r]|^\s*[=+\-@]|^\t/m;

function toText(cell: Cell): string {
  return typeof cell === 'string' ? cell : Array.isArray(cell) ? cell.join('|') : String(cell ?? '');
}

/** The content of a quoted cell; an apostrophe is put before what a spreadsheet would take for a formula. */
function escapeCell(text: string): string {
  const guarded = /^(?:\s*[=+\-@]|[\t\r])/.test(text) ? `'${text}` : text;
  return guarded.replace(/\r\n?/g, '\n').replaceAll('"', '""');
}
