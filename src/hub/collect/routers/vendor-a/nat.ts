// Reads `show nat descriptor address N detail` of vendor_a in English or Japanese, line by line.
// Rows are found by their tokens, never by column or header words, which differ between firmwares.
import { canonicalIp } from '#kernel/net/address.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { isBlockEnd, isRule } from '../block-ends.ts';
import type { OnUnread } from '../driver.ts';
import { type Ending, fallsShort, type SessionReader, type SessionTable } from '../reader.ts';
import { type LogPlace, SessionRows } from '../session-rows.ts';
import { checkRows } from '../shell/too-much.ts';
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
  onUnread?: OnUnread | undefined;
}

/** A reader of the detailed NAT table, made when the table is asked for; several descriptors may follow one another. */
export function createNatDetailReader(options: NatDetailOptions = {}): SessionReader<NatDetail> {
  return new NatDetailReader(options);
}

class NatDetailReader implements SessionReader<NatDetail> {
  readonly #timerSec: number | null;
  readonly #columns: number;
  readonly #now: () => number;
  readonly #printedFrom: number;
  readonly #rows: SessionRows;
  readonly #blocks: DescriptorBlock[] = [];
  #declared: number | null = null;
  /** The last line of ports has its count: a further count is that of a closing sentence. */
  #isCounted = false;
  /** Outer address of the rows that follow; null unless a line of ports came right behind the line with the address. */
  #outerAddress: string | null = null;
  /** The address that the last line named. */
  #namedAddress: string | null = null;
  /** A row as wide as the console, which may go on in the next line. */
  #held = '';

  constructor({ timerSec = 900, columns = 80, now = systemClock.now, onUnread }: NatDetailOptions) {
    this.#rows = new SessionRows(isPieceOfRow, onUnread);
    this.#timerSec = timerSec;
    this.#columns = columns;
    this.#now = now;
    this.#printedFrom = now();
  }

  push(line: string): void {
    if (this.#takeRestOfHeld(line) || line.trim() === '') {
      return;
    }
    if (line.length === this.#columns && (this.#parseRow(line) !== null || looksLikeRow(line))) {
      this.#held = line;
    } else {
      this.#takeLine(line);
    }
  }

  end(ending: Ending): NatDetail {
    if (ending.cut && this.#held !== '') {
      this.#rows.addDamaged(this.#held);
      this.#held = '';
    }
    this.#takeRestOfHeld('');
    const isShort = this.#declared !== null && fallsShort(this.#rows.count, this.#declared);
    const table = this.#rows.end(ending, this.#declared, !isShort && this.#blocks.length > 0);
    return { ...table, blocks: this.#blocks };
  }

  #parseRow(line: string) {
    return parseRow(line, this.#timerSec);
  }

  /** Takes the row that was held back, with `line` when that is its rest; true when it is. */
  #takeRestOfHeld(line: string): boolean {
    const head = this.#held;
    this.#held = '';
    if (head === '') {
      return false;
    }
    if (!isRestOfWide(line) || isRule(line) || this.#parseRow(line) !== null) {
      this.#takeLine(head);
      return false;
    }
    // A whole row with blanks and a number behind it is two rows or one: nobody can tell.
    const isAmbiguous = /^\s/.test(line) && this.#parseRow(head) !== null;
    if (isAmbiguous || !this.#takeRow(head + line)) {
      this.#rows.addDamaged(head);
      this.#takeLine(line);
    }
    return true;
  }

  #takeLine(line: string): void {
    const addressAbove = this.#namedAddress;
    this.#namedAddress = null;
    if (this.#takeRow(line)) {
      return;
    }
    const log = findLogLine(line);
    if (log === 'alone') {
      this.#rows.addLog(line, log);
    } else if (this.#takeHeader(line, addressAbove)) {
      this.#namedAddress = parseOuterAddress(line);
      this.#rows.close();
    } else if (log !== null) {
      this.#rows.addLog(line, log);
    } else if (looksLikeRow(line)) {
      this.#rows.addDamaged(line);
      this.#rows.close();
    } else {
      this.#rows.addOther(line);
    }
  }

  #takeRow(line: string): boolean {
    const row = this.#parseRow(line);
    if (row === null) {
      return false;
    }
    if (!this.#rows.acceptRow(line)) {
      this.#rows.addDamaged(line);
    } else if (row === 'static') {
      this.#rows.addStatic();
    } else if (row === 'unsupported') {
      this.#rows.addUnsupported(line);
    } else {
      this.#rows.addSession({
        ...row,
        outerAddress: this.#outerAddress,
        printedFrom: this.#printedFrom,
        printedTo: this.#now(),
      });
    }
    return true;
  }

  /** Takes a line that says something about the table as a whole. */
  #takeHeader(line: string, addressAbove: string | null): boolean {
    const block = parseBlock(line);
    const count = parseCount(line);
    if (block) {
      this.#outerAddress = null;
      this.#blocks.push(block);
      checkRows(this.#blocks.length);
    }
    if (isPortLine(line)) {
      this.#outerAddress = addressAbove;
      this.#isCounted = false;
    }
    if (count !== null && !this.#isCounted) {
      this.#declared = (this.#declared ?? 0) + count;
      this.#isCounted = true;
    }
    return block !== null || count !== null || isHeader(line) || isBlockEnd(line);
  }
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
