// Reads `show ip nat translations [vrf NAME] [verbose]` of vendor_b in every dialect, line by line: plain rows, the
// three lines per row of classic images, the block of newer ones, listings per VRF.
import { systemClock } from '#kernel/time/clock.ts';
import { holdsCell, isBlockEnd, isRule } from '../block-ends.ts';
import type { Session } from '../driver.ts';
import { createUnparsed, type Ending, fallsShort, type SessionReader, type SessionTable } from '../reader.ts';
import { checkRows } from '../shell/too-much.ts';
import { createTornRows, type LogPlace } from '../torn-rows.ts';
import { type NatRow, parseNatRow } from './row.ts';
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
}

/** Kinds of a row's last line that are remembered: an image has one or two. */
const maxEndings = 100;

const damagedRow = { kind: 'damaged' } as const;

/** A reader of the NAT table, made when the table is asked for. The total newer images print at the end is exact; the one of the statistics is not. */
export function createTranslationReader(options: TranslationOptions = {}): SessionReader<Translations> {
  const now = options.now ?? systemClock.now;
  const printedFrom = now();
  const sessions: Session[] = [];
  const unparsed = createUnparsed();
  const unsupported = createUnparsed();
  const torn = createTornRows((line) => open !== null || holdsCell(line));
  /** What the last row was, until a line shows that it is over. */
  let open: NatRow['kind'] | null = null;
  let current: Session | null = null;
  let total: number | null = null;
  let rows = 0;
  let staticRows = 0;
  let dropped = 0;
  let merged = false;
  let absoluteTimes = false;
  /** Labels of the line each earlier row ended with: a last row that ends otherwise was cut. */
  const endings = new Set<string>();
  let ending: string | null = null;

  const takeRow = (line: string): boolean => {
    const found = parseNatRow(line);
    if (!found) {
      return false;
    }
    const row = torn.row(line) ? found : damagedRow;
    open = row.kind;
    current = null;
    if (ending !== null && endings.size < maxEndings) {
      endings.add(ending);
    }
    ending = '';
    if (row.kind === 'session') {
      const { kind: _, ...flow } = row;
      current = {
        ...flow,
        ttl: null,
        ageSec: null,
        idleSec: null,
        vrf: options.vrf ?? null,
        printedFrom,
        printedTo: now(),
      };
      sessions.push(current);
      checkRows(sessions.length);
      rows += 1;
    } else if (row.kind === 'static') {
      staticRows += 1;
      rows += 1;
    } else if (row.kind === 'unsupported') {
      unsupported.add(line);
      rows += 1;
      checkRows(unsupported.value().count);
    } else {
      merged ||= row.kind === 'merged';
      drop(line);
    }
    return true;
  };

  const drop = (line: string): void => {
    dropped += 1;
    unparsed.add(line);
  };

  /** The open row is not what the router has. */
  const dropOpen = (): void => {
    if (open === 'session') {
      sessions.pop();
      rows -= 1;
    } else if (open === 'static') {
      staticRows -= 1;
      rows -= 1;
    }
    open = null;
    current = null;
  };

  const push = (line: string): void => {
    if (line.trim() === '') {
      return;
    }
    const log = findLogLine(line);
    if (log !== null) {
      torn.log(log);
      if (log === 'inside a line') {
        drop(line);
        dropOpen();
      }
      return;
    }
    const declared = /^\s*Total number of translations\s*:\s*(\d{1,9})\s*$/i.exec(line);
    if (declared) {
      total = (total ?? 0) + Number(declared[1]);
      open = null;
      torn.other();
    } else if (isDetail(line)) {
      torn.other();
      ending = findLabels(line);
      absoluteTimes ||= /\d\d\/\d\d\/\d\d /.test(line);
      if (current) {
        current.printedTo = now();
        readDetail(line, current, options.routerNow);
      }
    } else if (isHeader(line) || isBlockEnd(line)) {
      open = null;
      torn.other();
    } else if (!takeRow(line)) {
      if (torn.isRest(line)) {
        drop(line);
        dropOpen();
      } else {
        unparsed.add(line);
      }
    }
  };

  return {
    push,
    end({ cut, noisy }: Ending): Translations {
      const short = total === null ? fallsShort(rows, options.expected ?? 0) : total !== rows;
      const isLastCut = ending !== null && endings.size > 0 && !endings.has(ending);
      const complete = !cut && noisy === 0 && dropped === 0 && !short && !isLastCut;
      const declared = total ?? options.expected ?? null;
      const lines = {
        unparsed: unparsed.value(noisy),
        unsupported: unsupported.value(),
        logLines: torn.logLines(),
      };
      return { sessions, staticRows, declared, complete, ...lines, merged, absoluteTimes };
    },
  };
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
