// One row of vendor_b's NAT table: five cells found by their tokens. Column positions differ per image and mean nothing.
import { canonicalIp } from '#kernel/net/address.ts';
import type { Session } from '../driver.ts';
import { hasPorts, isPortRange, isServiceName, parsePort, parseProtocol } from '../reader.ts';

/** What a row says, or why it is no session. */
export type NatRow =
  | ({ kind: 'session' } & Pick<Session, 'proto' | 'src' | 'sport' | 'dst' | 'dport' | 'outerAddress' | 'outerPort'>)
  /** A static mapping, or an `any` record without a LAN host. */
  | { kind: 'static' }
  /** Cells run into each other, as a well-known training simulator prints them. */
  | { kind: 'merged' }
  /** A whole row of a form that is not read: IPv6, a port range of a static mapping, names of services. */
  | { kind: 'unsupported' }
  /** It starts like a row but cannot be trusted. */
  | { kind: 'damaged' };

/** `null` when the line is not a row at all. */
export function parseNatRow(line: string): NatRow | null {
  const cells = line.trim().split(/\s+/);
  const name = cells[0] ?? '';
  const proto = parseProtocol(name);
  if (cells.some(holdsMoreThanOne)) {
    return { kind: 'merged' };
  }
  if (cells.length !== 5 || (proto === null && name !== 'any' && name !== '---')) {
    return looksLikeRow(cells, proto) ? { kind: 'damaged' } : null;
  }
  const [, insideGlobal, insideLocal, outsideLocal, outsideGlobal] = cells.map(parseCell);
  if (!insideGlobal || !insideLocal || !outsideLocal || !outsideGlobal) {
    return { kind: proto !== null && isUnsupported(cells.slice(1)) ? 'unsupported' : 'damaged' };
  }
  const isStatic =
    insideLocal === 'none' || outsideGlobal === 'none' || outsideLocal === 'none' || insideGlobal === 'none';
  if (isStatic || proto === null) {
    return { kind: 'static' };
  }
  const all = [insideGlobal, insideLocal, outsideLocal, outsideGlobal];
  if (hasPorts(proto) && all.some((cell) => cell.port === null)) {
    return { kind: 'damaged' };
  }
  if (isCutShort(cells[3] ?? '', cells[4] ?? '', proto)) {
    return { kind: 'damaged' };
  }
  const src = insideLocal.ip;
  const dst = outsideGlobal.ip;
  const outerAddress = insideGlobal.ip;
  const hasIds = hasPorts(proto) || proto === 'ICMP';
  const sport = hasIds ? insideLocal.port : null;
  const outerPort = hasIds ? insideGlobal.port : null;
  const dport = hasPorts(proto) ? (outsideGlobal.port ?? 0) : 0;
  return { kind: 'session', proto, src, sport, dst, dport, outerAddress, outerPort };
}

/**
 * Whether several cells of a row were printed without a space between them: two addresses or more, with or without ports;
 * an address and the dashes of an empty cell; the protocol and an address. A dot or digit too many is damage, not this.
 */
function holdsMoreThanOne(text: string): boolean {
  const [, word = '', rest = ''] = /^([a-z]*)([\d.:-]+)$/i.exec(text) ?? [];
  const dots = rest.split('.').length - 1;
  const isAfterProtocol = dots >= 3 && word !== '' && parseProtocol(word) !== null;
  return isAfterProtocol || dots >= 6 || (dots >= 3 && /\d--|--\d/.test(rest));
}

/** The last cell is where a cut falls: it is the beginning of the one before it, which mostly says the same. */
function isCutShort(outsideLocal: string, outsideGlobal: string, proto: string): boolean {
  const isBeginning = outsideLocal.length > outsideGlobal.length && outsideLocal.startsWith(outsideGlobal);
  // Query ids of ICMP differ on the two sides by nature; only its addresses are compared.
  return isBeginning && (hasPorts(proto) || !outsideGlobal.includes(':'));
}

/** `a.b.c.d[:port]`, `'none'` for `---` (also seen as `--`), `null` for other text. */
function parseCell(text: string): { ip: string; port: number | null } | 'none' | null {
  if (text === '---' || text === '--') {
    return 'none';
  }
  const [address = '', portText, more] = text.split(':');
  const ip = canonicalIp(address);
  if (ip === null || more !== undefined) {
    return null;
  }
  if (portText === undefined) {
    return { ip, port: null };
  }
  const port = parsePort(portText);
  return port === null ? null : { ip, port };
}

/** Four whole cells, of which at least one is of a form that is not read. */
function isUnsupported(cells: readonly string[]): boolean {
  const isStatic = cells.some((cell) => parseCell(cell) === 'none');
  const isUnread = (cell: string) => {
    const [address = '', port = '', more] = cell.split(':');
    if (more === undefined) {
      return canonicalIp(address) !== null && (isServiceName(port) || (isStatic && isPortRange(port)));
    }
    const [, bracketed = cell, outer] = /^\[([^\]]+)\](?::(\d+))?$/.exec(cell) ?? [];
    return canonicalIp(bracketed) !== null && (outer === undefined || parsePort(outer) !== null);
  };
  const unread = cells.filter(isUnread);
  return unread.length > 0 && cells.every((cell) => parseCell(cell) !== null || unread.includes(cell));
}

function looksLikeRow(cells: string[], proto: string | null): boolean {
  const addresses = cells.filter((cell) => /^\d+\.\d+\.\d+(?:\.\d+)?(?::\S*)?$/.test(cell)).length;
  return (
    addresses >= 2 ||
    (addresses >= 1 && proto !== null) ||
    (proto !== null && /^[a-z]+$/.test(cells[0] ?? '') && cells.length > 1)
  );
}
