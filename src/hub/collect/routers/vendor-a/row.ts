// One row of vendor_a's detailed NAT table: cells found by their tokens. Widths and header words differ per firmware.
import { canonicalIp } from '#kernel/net/address.ts';
import type { Session } from '../driver.ts';
import { hasPorts, isPortRange, isServiceName, parsePort, parseProtocol } from '../reader.ts';

/** What a row says of a session; the outer address stands above the rows, and when it was read is for the reader to add. */
export type Row = Omit<Session, 'outerAddress' | 'printedFrom' | 'printedTo'>;

/** A session, `'static'` for a row that is none, `'unsupported'` for one that is whole but not read, `null` for other text. */
export function parseRow(line: string, timerSec: number | null): Row | 'static' | 'unsupported' | null {
  const tokens = line.trim().split(/\s+/);
  return parseTokens(tokens, timerSec) ?? (isUnsupported(tokens) ? 'unsupported' : null);
}

function parseTokens(tokens: readonly string[], timerSec: number | null): Row | 'static' | null {
  const [first = '', inner = '', dest = ''] = tokens;
  const proto = /[a-z]/.test(first) ? null : parseProtocol(first);
  const life = tokens.at(-1) ?? '';
  if (proto === null || (tokens.length !== 5 && (tokens.length !== 4 || hasPorts(proto)))) {
    return null;
  }
  const outer = tokens.length === 5 ? (tokens[3] ?? '') : '*';
  if (outer !== '*' && parsePort(outer) === null) {
    return null;
  }
  // Four cells are whole only where no port is printed at all: else the last one is an outer port, and no lifetime.
  if (tokens.length === 4 && !(isBareIpv4(inner) && isBareIpv4(dest))) {
    return null;
  }
  const source = parseEndpoint(inner);
  if (!source) {
    return null;
  }
  if (life === 'static') {
    return dest === '*.*.*.*.*' || parseEndpoint(dest) ? 'static' : null;
  }
  const target = parseEndpoint(dest);
  if (!target || !/^(?:0|[1-9]\d{0,9})$/.test(life)) {
    return null;
  }
  if (hasPorts(proto) && (source.port === null || target.port === null)) {
    return null;
  }
  const ttl = Number(life);
  const dport = hasPorts(proto) ? (target.port ?? 0) : 0;
  return {
    proto,
    src: source.ip,
    sport: source.port,
    dst: target.ip,
    dport,
    ttl,
    ageSec: null,
    idleSec: toIdleSec(proto, dport, ttl, timerSec),
    outerPort: parsePort(outer),
    vrf: null,
  };
}

/**
 * Seconds since the last packet: the timer is set back by every packet, so it is `timer − ttl`. Unknown where a shorter
 * timer may run: TCP after FIN (60 s), DNS after its answer (about 10 s).
 */
function toIdleSec(proto: string, dport: number, ttl: number, timerSec: number | null): number | null {
  if (timerSec === null || ttl > timerSec) {
    return null;
  }
  if ((proto === 'TCP' && ttl <= 60) || (proto === 'UDP' && dport === 53 && ttl <= 10)) {
    return null;
  }
  return timerSec - ttl;
}

/** Five whole cells, of which at least one is of a form that is not read: a port range of a static row, IPv6, a name. */
function isUnsupported(tokens: readonly string[]): boolean {
  const [first = '', inner = '', dest = '', outer = '', life = ''] = tokens;
  const isStatic = life === 'static';
  const isPort = (text: string) =>
    text === '*' || parsePort(text) !== null || isServiceName(text) || (isStatic && isPortRange(text));
  const isEndpoint = (text: string) => {
    const dot = text.lastIndexOf('.');
    return canonicalIp(text.slice(0, dot)) !== null && isPort(text.slice(dot + 1));
  };
  const isUnread = (text: string) => /[:a-z]|\d-\d/.test(text);
  return (
    tokens.length === 5 &&
    /^[A-Z0-9]+$/.test(first) &&
    parseProtocol(first) !== null &&
    isEndpoint(inner) &&
    (isEndpoint(dest) || (isStatic && dest === '*.*.*.*.*')) &&
    isPort(outer) &&
    (isStatic || /^(?:0|[1-9]\d{0,9})$/.test(life)) &&
    (isUnread(inner) || isUnread(dest) || isUnread(outer))
  );
}

/** `a.b.c.d.port`, `a.b.c.d.*` or `a.b.c.d`: address and port are joined by a dot. */
function parseEndpoint(text: string): { ip: string; port: number | null } | null {
  const parts = /^(\d+\.\d+\.\d+\.\d+)(?:\.(\d+|\*))?$/.exec(text);
  const ip = parts?.[1] ? canonicalIp(parts[1]) : null;
  if (!parts || ip === null) {
    return null;
  }
  if (parts[2] === undefined || parts[2] === '*') {
    return { ip, port: null };
  }
  const port = parsePort(parts[2]);
  return port === null ? null : { ip, port };
}

function isBareIpv4(text: string): boolean {
  return /^\d+(?:\.\d+){3}$/.test(text);
}

/** Whether the line starts like a row, or holds text that only rows hold. */
export function looksLikeRow(line: string): boolean {
  const tokens = line.trim().split(/\s+/);
  const endpoints = tokens.filter((token) => /^[\d*]+(?:\.[\d*]+){4}$/.test(token)).length;
  return endpoints >= 2 || (endpoints === 1 && parseProtocol(tokens[0] ?? '') !== null) || startsRow(tokens);
}

/** A damaged or broken row still starts with its protocol. */
function startsRow(tokens: string[]): boolean {
  return /^(?:TCP|UDP|ICMP|ESP|GRE|AH)$/.test(tokens[0] ?? '');
}
