// Reads `show ip nat translations [vrf NAME] [verbose]` of vendor_b in every dialect, line by line: plain rows, the
// three lines per row of classic images, the block of newer ones, listings per VRF.
import { systemClock } from '#kernel/time/clock.ts';
import { holdsCell, isBlockEnd, isRule } from '../block-ends.ts';
import type { OnUnread, Session } from '../driver.ts';
import { type Ending, fallsShort, type SessionReader, type SessionTable } from '../reader.ts';
import { type LogPlace, SessionRows } from '../session-rows.ts';
import { parseNatRow } from './row.ts';
import { parseAge, parseLocalTime } from './timers.ts';

export interface Translations extends SessionTable {
  /** Cells ran into each other: a training simulator, not a router. */
  merged: boolean;
  /** Absolute times were printed, so ages need the router's clock. */
  absoluteTimes: boolean;
}

export interface TranslationOptions {
  /** The router's local time now, as if it were UTC; `null` when unknown, then absolute times give no ages. */
  routerNow?: () => number | null;
  /** Entries declared by `show ip nat statistics`: used where the table declares none itself. */
  expected?: number | null;
  vrf?: string | null;
  /** Hub time, epoch milliseconds. */
  now?: () => number;
  onUnread?: OnUnread | undefined;
}

/** Kinds of a row's last line that are remembered: an image has one or two. */
const maxEndings = 100;

/** A reader of the NAT table, made when the table is asked for. The total newer images print at the end is exact; the one of the statistics is not. */
export function createTranslationReader(options: TranslationOptions = {}): SessionReader<Translations> {
  return new TranslationReader(options);
}

class TranslationReader implements SessionReader<Translations> {
  readonly #options: TranslationOptions;
  readonly #now: () => number;
  readonly #printedFrom: number;
  readonly #rows: SessionRows;
  #total: number | null = null;
  #merged = false;
  #absoluteTimes = false;
  /** Labels of the line each earlier row ended with: a last row that ends otherwise was cut. */
  readonly #endings = new Set<string>();
  #ending: string | null = null;

  constructor(options: TranslationOptions) {
    this.#options = options;
    this.#rows = new SessionRows((line, hasOpenRow) => hasOpenRow || holdsCell(line), options.onUnread);
    this.#now = options.now ?? systemClock.now;
    this.#printedFrom = this.#now();
  }

  push(line: string): void {
    if (line.trim() === '') {
      return;
    }
    const log = findLogLine(line);
    const total = /^\s*Total number of translations\s*:\s*(\d{1,9})\s*$/i.exec(line);
    if (log !== null) {
      this.#rows.addLog(line, log);
    } else if (total) {
      this.#total = (this.#total ?? 0) + Number(total[1]);
      this.#rows.close();
    } else if (isDetail(line)) {
      this.#takeDetail(line);
    } else if (isHeader(line) || isBlockEnd(line)) {
      this.#rows.close();
    } else if (!this.#takeRow(line)) {
      this.#rows.addOther(line);
    }
  }

  end(ending: Ending): Translations {
    const expected = this.#options.expected ?? null;
    const { count } = this.#rows;
    const isShort = this.#total === null ? fallsShort(count, expected ?? 0) : this.#total !== count;
    const isLastCut = this.#ending !== null && this.#endings.size > 0 && !this.#endings.has(this.#ending);
    const table = this.#rows.end(ending, this.#total ?? expected, !isShort && !isLastCut);
    return { ...table, merged: this.#merged, absoluteTimes: this.#absoluteTimes };
  }

  #takeRow(line: string): boolean {
    const row = parseNatRow(line);
    if (!row) {
      return false;
    }
    if (this.#ending !== null && this.#endings.size < maxEndings) {
      this.#endings.add(this.#ending);
    }
    this.#ending = '';
    if (!this.#rows.acceptRow(line)) {
      this.#rows.addDamaged(line);
    } else if (row.kind === 'session') {
      const { kind: _, ...flow } = row;
      this.#rows.addSession({
        ...flow,
        ttl: null,
        ageSec: null,
        idleSec: null,
        vrf: this.#options.vrf ?? null,
        printedFrom: this.#printedFrom,
        printedTo: this.#now(),
      });
    } else if (row.kind === 'static') {
      this.#rows.addStatic();
    } else if (row.kind === 'unsupported') {
      this.#rows.addUnsupported(line);
    } else {
      this.#merged ||= row.kind === 'merged';
      this.#rows.addDamaged(line);
    }
    return true;
  }

  /** Takes a line of a verbose listing about the row above it. */
  #takeDetail(line: string): void {
    this.#rows.addPart();
    this.#ending = findLabels(line);
    this.#absoluteTimes ||= /\d\d\/\d\d\/\d\d /.test(line);
    const session = this.#rows.lastSession;
    if (session) {
      session.printedTo = this.#now();
      readDetail(line, session, this.#options.routerNow);
    }
  }
}

/** Fills in what a verbose line says about the session above it. */
function readDetail(line: string, session: Session, routerNow: (() => number | null) | undefined): void {
  const vrf = /\bvrf:\s*(\S+)/.exec(line);
  if (vrf?.[1]) {
    session.vrf = vrf[1];
  }
  const dated =
    /^\s*create:? (\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d), use:? (\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d)(?:,\s*timeout:?\s*(-?\d+:-?\d+:-?\d+))?/.exec(
      line,
    );
  if (dated) {
    const now = routerNow?.() ?? null;
    session.ageSec = secondsSince(dated[1], now);
    session.idleSec = secondsSince(dated[2], now);
    session.printedFrom = now === null ? session.printedFrom : session.printedTo;
    session.ttl = dated[3]?.includes('-') ? 0 : parseAge(dated[3] ?? '');
    return;
  }
  const aged = /^\s*create:? ([\w:]+), use:? ([\w:]+)/.exec(line);
  if (aged) {
    session.ageSec = parseAge(aged[1] ?? '');
    session.idleSec = parseAge(aged[2] ?? '');
    const left = parseAge(/\bleft ([\w:]+)/.exec(line)?.[1] ?? '');
    const timeoutMs = Number(/\btimeout:(\d{1,12})\b/.exec(line)?.[1] ?? 0);
    const rest =
      timeoutMs > 0 && session.idleSec !== null ? Math.max(0, Math.floor(timeoutMs / 1000) - session.idleSec) : null;
    session.ttl = left ?? rest;
    return;
  }
  const timeLeft = /Time-left\s*:\s*(-?\d+):(-?\d+):(-?\d+)/.exec(line);
  if (timeLeft) {
    const [hours = 0, minutes = 0, seconds = 0] = timeLeft.slice(1).map(Number);
    session.ttl = Math.max(0, hours * 3600 + minutes * 60 + seconds);
  }
}

/** Whole seconds from a router-local time to the router's now; never negative. */
function secondsSince(text: string | undefined, now: number | null): number | null {
  const at = parseLocalTime(text ?? '');
  return at === null || now === null ? null : Math.max(0, Math.floor((now - at) / 1000));
}

function findLabels(line: string): string {
  return (line.match(/(?<![\w-])[A-Za-z][\w-]*(?=:)/g) ?? []).join(' ');
}

const detail =
  /^\s*(?:create[: ]|Map-Id|Mac-Address:|entry-id:|flags:|RuleID\b|ALG Application|WLAN-Flags|In_pkts:|Output-IDB:|Group_id:|Format\(H:M:S\)|(?:[a-z-]+, )+use_count:)/i;

function isDetail(line: string): boolean {
  return detail.test(line);
}

/** Headers, the echo of the command in a capture, the caret under a refused word, time stamps before an output. */
function isHeader(line: string): boolean {
  return /^\s*(?:Pro\s+Inside\s|\^\s*$|\S*[>#]?\s?show ip nat |Load for five secs:|Time source is )/.test(line);
}

/**
 * A system log line that landed in the session, `*Mar  1 12:00:03.221: %LINEPROTO-5-UPDOWN: …`, by itself or behind the
 * start of a line that it cut; `null` for other text. What may stand before it: a priority, a sequence number, a time
 * of day or of running, each with its colon.
 */
function findLogLine(line: string): LogPlace | null {
  const mnemonic = line.includes('%') ? /%[A-Z0-9_]+(?:-[A-Z0-9_]+)*-[0-7]-[A-Z0-9_]+:/.exec(line) : null;
  if (!mnemonic) {
    return null;
  }
  const before = line.slice(0, mnemonic.index).replace(logTime, '');
  return isRule(before) || /^\s*(?:<\d{1,3}>)?(?:\d{1,10}: )?$/.test(before) ? 'alone' : 'inside a line';
}

const logTime =
  /(?:[*.]?[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [A-Za-z]{1,8})?|(?:\d{1,3}[ywdhm]){1,4}|\d{1,4}:\d\d:\d\d): $/;

/** A log line by itself. */
export function isLogLine(line: string): boolean {
  return findLogLine(line) === 'alone';
}
