// Reads `show nat descriptor address N detail` of vendor_a in English or Japanese, line by line.
// Rows are found by their tokens, never by column or header words, which differ between firmwares.
import { canonicalIp } from '#kernel/address.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Session } from '../driver.ts';
import {
  createUnparsed,
  type Ending,
  fallsShort,
  hasPorts,
  isPortRange,
  isServiceName,
  parsePort,
  parseProtocol,
  type SessionReader,
  type SessionTable,
} from '../reader.ts';
import { checkRows } from '../shell/too-much.ts';

export interface DescriptorBlock {
  descriptor: string;
  interfaceName: string;
}

export interface NatDetail extends SessionTable {
  /** The header blocks seen, in order. */
  blocks: DescriptorBlock[];
}

export interface NatDetailOptions {
  /** Seconds a fresh entry lives: 900 by default, `null` when unknown (no idle time is then derived). */
  timerSec?: number | null;
  /** The device breaks lines after this many columns, also inside a token. */
  columns?: number;
  /** Hub time, epoch milliseconds. */
  now?: () => number;
}

/** A reader of the detailed NAT table, made when the table is asked for; several descriptors may follow one another. */
export function createNatDetailReader(options: NatDetailOptions = {}): SessionReader<NatDetail> {
  const timerSec = options.timerSec === undefined ? 900 : options.timerSec;
  const columns = options.columns ?? 80;
  const now = options.now ?? systemClock.now;
  const printedFrom = now();
  const sessions: Session[] = [];
  const blocks: DescriptorBlock[] = [];
  const unparsed = createUnparsed();
  const unsupported = createUnparsed();
  let staticRows = 0;
  let dropped = 0;
  let declared: number | null = null;
  let wrapped = '';

  const take = (line: string): boolean => {
    const row = parseRow(line, timerSec);
    if (row === 'static') {
      staticRows += 1;
    } else if (row === 'unsupported') {
      unsupported.add(line);
      checkRows(unsupported.value().count);
    } else if (row) {
      sessions.push({ ...row, printedFrom, printedTo: now() });
      checkRows(sessions.length);
    }
    return row !== null;
  };

  const drop = (line: string): void => {
    unparsed.add(line);
    dropped += 1;
  };

  const push = (line: string): void => {
    if (wrapped !== '') {
      const head = wrapped;
      wrapped = '';
      if (take(head + line)) {
        return;
      }
      drop(head);
    }
    if (line.trim() === '' || take(line)) {
      return;
    }
    const block = parseBlock(line);
    if (block) {
      blocks.push(block);
      checkRows(blocks.length);
      return;
    }
    const count = parseCount(line);
    if (count !== null) {
      declared = (declared ?? 0) + count;
      return;
    }
    if (looksLikeRow(line)) {
      if (line.length === columns) {
        wrapped = line;
      } else {
        drop(line);
      }
      return;
    }
    if (!isHeader(line) && !isLogLine(line)) {
      unparsed.add(line);
    }
  };

  return {
    push,
    end({ cut, noisy }: Ending): NatDetail {
      if (wrapped !== '') {
        drop(wrapped);
        wrapped = '';
      }
      const short = declared !== null && fallsShort(sessions.length + staticRows + unsupported.value().count, declared);
      const complete = !cut && noisy === 0 && dropped === 0 && !short && blocks.length > 0;
      const lines = { unparsed: unparsed.value(noisy), unsupported: unsupported.value() };
      return { sessions, staticRows, declared, complete, ...lines, blocks };
    },
  };
}

type Row = Omit<Session, 'printedFrom' | 'printedTo'>;

/** A session, `'static'` for a row that is none, `'unsupported'` for one that is whole but not read, `null` for other text. */
function parseRow(line: string, timerSec: number | null): Row | 'static' | 'unsupported' | null {
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
    idleSec: idleOf(proto, dport, ttl, timerSec),
    vrf: null,
  };
}

/**
 * Seconds since the last packet: the timer is set back by every packet, so it is `timer − ttl`. Unknown where a shorter
 * timer may run: TCP after FIN (60 s), DNS after its answer (about 10 s).
 */
function idleOf(proto: string, dport: number, ttl: number, timerSec: number | null): number | null {
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

/** `Reference Descriptor : 1000, Assigned Interface : LAN2(1)` or its Japanese form. */
export function parseBlock(line: string): DescriptorBlock | null {
  const parts = /^[^:：]*(?:Descriptor|ディスクリプタ)\s*[:：]\s*(\d{1,10})\s*[,，、][^:：]*[:：]\s*(\S+)\s*$/.exec(
    line,
  );
  return parts ? { descriptor: parts[1] ?? '', interfaceName: parts[2] ?? '' } : null;
}

/** The number at the end of the port range line: `28 session.`, `28 used.` or `28個使用中`. */
export function parseCount(line: string): number | null {
  const parts = /(?:^|\s)(\d{1,9})\s*(?:sessions?\.?|used\.?|個使用中)\s*$/.exec(line);
  return parts ? Number(parts[1]) : null;
}

function looksLikeRow(line: string): boolean {
  const tokens = line.trim().split(/\s+/);
  const endpoints = tokens.filter((token) => /^[\d*]+(?:\.[\d*]+){4}$/.test(token)).length;
  return endpoints >= 2 || (endpoints === 1 && parseProtocol(tokens[0] ?? '') !== null) || startsRow(tokens);
}

/** A damaged or broken row still starts with its protocol. */
function startsRow(tokens: string[]): boolean {
  return /^(?:TCP|UDP|ICMP|ESP|GRE|AH)$/.test(tokens[0] ?? '');
}

function isHeader(line: string): boolean {
  return (
    /(?:compatibility type|動作タイプ)\s*[:：]/.test(line) ||
    /^\s*Masquerade\s?(?:Table|テーブル)/i.test(line) ||
    /^\s*(?:Outer address|外側アドレス|Port range|ポート範囲)\s*[:：]/i.test(line) ||
    /^\s*(?:-\*-\s*)+$/.test(line) ||
    /^\s*(?:Protocol\s+Inner|プロトコル\s)/i.test(line)
  );
}

/** A log line printed into the session (`console info on`). */
export function isLogLine(line: string): boolean {
  return /^\s*(?:<\d{1,3}>)?(?:\d{4}\/\d\d\/\d\d[ T]\d\d:\d\d:\d\d|\[[A-Za-z][^\]]*\]\s)/.test(line);
}
