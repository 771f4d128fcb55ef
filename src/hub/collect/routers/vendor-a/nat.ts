// Reads `show nat descriptor address N detail` of vendor_a in English or Japanese, line by line.
// Rows are found by their tokens, never by column or header words, which differ between firmwares.
import { canonicalIp } from '#kernel/net/address.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { isBlockEnd, isRule } from '../block-ends.ts';
import type { Session } from '../driver.ts';
import { createUnparsed, type Ending, fallsShort, type SessionReader, type SessionTable } from '../reader.ts';
import { checkRows } from '../shell/too-much.ts';
import { createTornRows, type LogPlace } from '../torn-rows.ts';
import { looksLikeRow, parseRow } from './row.ts';

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
  const torn = createTornRows(isPieceOfRow);
  /** What the last row was, until a line shows that it is over. */
  let open: 'session' | 'static' | 'unsupported' | null = null;
  let staticRows = 0;
  let dropped = 0;
  let declared: number | null = null;
  /** The last line of ports has its count: a further one is that of a closing sentence. */
  let isCounted = false;
  /** Of the rows that follow: the line that says it is whole when that of the ports comes right behind it. */
  let outerAddress: string | null = null;
  let saidAddress: string | null = null;
  /** A row as wide as the console, which may go on in the next line. */
  let held = '';

  const take = (line: string): boolean => {
    const row = parseRow(line, timerSec);
    if (row === null) {
      return false;
    }
    if (!torn.row(line)) {
      drop(line);
      open = null;
      return true;
    }
    open = typeof row === 'string' ? row : 'session';
    if (row === 'static') {
      staticRows += 1;
    } else if (row === 'unsupported') {
      unsupported.add(line);
      checkRows(unsupported.value().count);
    } else {
      sessions.push({ ...row, outerAddress, printedFrom, printedTo: now() });
      checkRows(sessions.length);
    }
    return true;
  };

  const drop = (line: string): void => {
    unparsed.add(line);
    dropped += 1;
  };

  /** The open row is not what the router has. */
  const dropOpen = (): void => {
    if (open === 'session') {
      sessions.pop();
    } else if (open === 'static') {
      staticRows -= 1;
    }
    open = null;
  };

  /** Takes a line that says something about the table as a whole; `above` is the address that the line above it says. */
  const takeHeader = (line: string, above: string | null): boolean => {
    const block = parseBlock(line);
    const count = parseCount(line);
    if (block) {
      outerAddress = null;
      blocks.push(block);
      checkRows(blocks.length);
    }
    if (isPortLine(line)) {
      outerAddress = above;
      isCounted = false;
    }
    if (count !== null && !isCounted) {
      declared = (declared ?? 0) + count;
      isCounted = true;
    }
    return block !== null || count !== null || isHeader(line) || isBlockEnd(line);
  };

  const takeWhole = (line: string): void => {
    const above = saidAddress;
    saidAddress = null;
    if (take(line)) {
      return;
    }
    const log = findLogLine(line);
    if (log === 'alone') {
      torn.log(log);
    } else if (takeHeader(line, above)) {
      saidAddress = parseOuterAddress(line);
      open = null;
      torn.other();
    } else if (log !== null) {
      torn.log(log);
      drop(line);
      dropOpen();
    } else if (looksLikeRow(line)) {
      drop(line);
      open = null;
      torn.other();
    } else if (torn.isRest(line)) {
      drop(line);
      dropOpen();
    } else {
      unparsed.add(line);
    }
  };

  /** Takes the row that was held back, with `line` when that is its rest; true when it is. */
  const release = (line: string): boolean => {
    const head = held;
    held = '';
    if (head === '') {
      return false;
    }
    if (!isRestOfWide(line) || isRule(line) || parseRow(line, timerSec) !== null) {
      takeWhole(head);
      return false;
    }
    // A whole row with blanks and a number behind it is two rows or one: nobody can tell.
    const isAmbiguous = /^\s/.test(line) && parseRow(head, timerSec) !== null;
    if (isAmbiguous || !take(head + line)) {
      drop(head);
      open = null;
      takeWhole(line);
    }
    return true;
  };

  const push = (line: string): void => {
    if (release(line) || line.trim() === '') {
      return;
    }
    if (line.length === columns && (parseRow(line, timerSec) !== null || looksLikeRow(line))) {
      held = line;
    } else {
      takeWhole(line);
    }
  };

  return {
    push,
    end({ cut, noisy }: Ending): NatDetail {
      if (cut && held !== '') {
        drop(held);
        held = '';
      }
      release('');
      const short = declared !== null && fallsShort(sessions.length + staticRows + unsupported.value().count, declared);
      const complete = !cut && noisy === 0 && dropped === 0 && !short && blocks.length > 0;
      const lines = {
        unparsed: unparsed.value(noisy),
        unsupported: unsupported.value(),
        logLines: torn.logLines(),
      };
      return { sessions, staticRows, declared, complete, ...lines, blocks };
    },
  };
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

function isPortLine(line: string): boolean {
  return /^\s*(?:Port range|ポート範囲)\s*[:：]/i.test(line);
}

/** `Outer address: 203.0.113.24`, also with `primary/` or `ipcp/` before the address; null for any other line. */
export function parseOuterAddress(line: string): string | null {
  const parts = /^\s*(?:Outer address|外側アドレス)\s*[:：]\s*(?:[a-z]+\/)?([\d.]+)\s*$/i.exec(line);
  return parts?.[1] === undefined ? null : canonicalIp(parts[1]);
}

/** What may stand behind the break of a row that is wider than the console: numbers, or the end of `static`. */
function isRestOfWide(line: string): boolean {
  return /^[\d\s.*]*(?:static|tatic|atic|tic|ic|c)?\s*$/.test(line) && line.trim() !== '';
}

/** The end of a row's last number, or what holds a part of an address. */
function isPieceOfRow(line: string): boolean {
  return /^[\d\s.*]+$/.test(line) || /[\d*]\.[\d*]/.test(line);
}

function isHeader(line: string): boolean {
  return (
    /(?:compatibility type|動作タイプ)\s*[:：]/.test(line) ||
    /^\s*Masquerade\s?(?:Table|テーブル)/i.test(line) ||
    /^\s*(?:Outer address|外側アドレス)\s*[:：]/i.test(line) ||
    isPortLine(line) ||
    /^\s*(?:-\*-\s*)+$/.test(line) ||
    /^\s*(?:Protocol\s+Inner|プロトコル\s)/i.test(line)
  );
}

/** A log line printed into the session (`console info on`), by itself or behind what it cut; `null` for other text. */
function findLogLine(line: string): LogPlace | null {
  const found = /(?:<\d{1,3}>)?(?:\d{4}\/\d\d\/\d\d[ T]\d\d:\d\d:\d\d|\[[A-Za-z][^\]]*\]\s)/.exec(line);
  const before = found === null ? '' : line.slice(0, found.index);
  return found && (before.trim() === '' || isRule(before) ? 'alone' : 'inside a line');
}

/** A log line by itself. */
export function isLogLine(line: string): boolean {
  return findLogLine(line) === 'alone';
}
