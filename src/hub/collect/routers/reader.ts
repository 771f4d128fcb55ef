// What every reader of a table has in common: lines in, rows and a verdict on completeness out.
import { visibleText } from '#kernel/text/visible-text.ts';
import type { Neighbour, Session, Unparsed } from './driver.ts';

/** A session table as read. */
export interface SessionTable {
  sessions: Session[];
  /** Rows that map a port or address permanently and are no session. */
  staticRows: number;
  /** The number of entries the table itself declares. */
  declared: number | null;
  /** False when the text was cut, a row was dropped, or the declared number was missed. */
  complete: boolean;
  /** Lines that were not understood: damage, or text of another kind. */
  unparsed: Unparsed;
  /** Whole rows of a form that is not read: port ranges, IPv6, names of services. They do not touch `complete`. */
  unsupported: Unparsed;
  /** Log lines of the router that came between the rows, or inside one. */
  logLines: number;
}

/** An ARP or IPv6 neighbour table as read. */
export interface NeighbourTable {
  neighbours: Neighbour[];
  /** The number of entries the table itself declares. */
  declared: number | null;
  unparsed: Unparsed;
}

/** How the text ended: `cut` when no prompt followed, `noisy` lines that were dropped before they got here. */
export interface Ending {
  cut: boolean;
  noisy: number;
}

/**
 * Takes one whole line at a time, so that a table of any size needs no big string. `push` throws a ShellError
 * `too_much_output` beyond twice the largest table, and nothing else.
 */
export interface SessionReader<T extends SessionTable> {
  push(line: string): void;
  end(ending: Ending): T;
}

const protocolNames = new Set(
  'TCP UDP ICMP GRE ESP AH IGMP IPIP SCTP PIM OSPF L2TP UDPLITE IPV6 EIGRP RSVP'.split(' '),
);

/** Upper-case protocol name, or the IP protocol number 0…255 as text; `null` for anything else. */
export function parseProtocol(text: string): string | null {
  const name = text.toUpperCase();
  if (protocolNames.has(name)) {
    return name;
  }
  return /^(?:0|[1-9]\d{0,2})$/.test(name) && Number(name) <= 255 ? name : null;
}

/** True where the two numbers of a row are ports. ICMP rows carry query ids, the others nothing of use. */
export function hasPorts(proto: string): boolean {
  return proto === 'TCP' || proto === 'UDP' || proto === 'SCTP' || proto === 'UDPLITE';
}

/** 0…65535, or `null`. */
export function parsePort(text: string): number | null {
  if (!/^(?:0|[1-9]\d{0,4})$/.test(text)) {
    return null;
  }
  const port = Number(text);
  return port <= 65_535 ? port : null;
}

/**
 * A name instead of a port, such as `www`. It starts with two letters and has three characters, so no number that one
 * damaged character made is taken for a name.
 */
export function isServiceName(text: string): boolean {
  return /^[a-z]{2}[a-z0-9_-]{1,14}$/.test(text);
}

/** `5000-5010`: two ports in order. */
export function isPortRange(text: string): boolean {
  const [from = '', to = '', more] = text.split('-');
  const first = parsePort(from);
  const last = parsePort(to);
  return more === undefined && first !== null && last !== null && first < last;
}

/** True when fewer rows came than declared, by more than a table moves while it is printed: max(5, 2 %). */
export function fallsShort(rows: number, declared: number): boolean {
  return declared - rows > Math.max(5, declared * 0.02);
}

/** Counts lines that were not understood and stores the first few as printable samples. */
export function createUnparsed() {
  let count = 0;
  const samples: string[] = [];
  return {
    add(line: string): void {
      count += 1;
      if (samples.length < 5) {
        samples.push(printable(line));
      }
    },
    value: (extra = 0): Unparsed => ({ count: count + extra, samples }),
  };
}

/** At most 120 characters of a line, with everything that could disturb a terminal or a log replaced by a dot. */
export function printable(line: string): string {
  return visibleText(line, 120, '.');
}

/** Two counts as one, with the first few samples of both. */
export function mergeUnparsed(one: Unparsed, other: Unparsed): Unparsed {
  return { count: one.count + other.count, samples: [...one.samples, ...other.samples].slice(0, 5) };
}

/** What to say of rows that are left out because their form is not read. */
export function unsupportedNotes({ count }: Unparsed): string[] {
  const rows = count === 1 ? '1 row of the NAT table is' : `${count} rows of the NAT table are`;
  return count === 0
    ? []
    : [`${rows} of a form that is not supported (port ranges, IPv6, names of services), and left out of the log.`];
}

/** What to say of log lines that came with the table. */
export function logLineNotes(logLines: number): string[] {
  const lines = logLines === 1 ? '1 line of its log' : `${logLines} lines of its log`;
  return logLines === 0
    ? []
    : [
        `The router printed ${lines} between the rows of its NAT table. A row that one of them cuts in two is left out, and the table then counts as incomplete; log output into sessions can be turned off on the router.`,
      ];
}

/** What to say of keys that had to be pressed twice at the page question while the table was shown. */
export function lostKeyNotes(pressedAgain: number): string[] {
  return pressedAgain === 0
    ? []
    : [
        `The router did not react to a key at ${pressedAgain} of its page questions; it went on when the key was pressed again. It is very busy, or its line loses keys; without paging nothing has to be pressed.`,
      ];
}
