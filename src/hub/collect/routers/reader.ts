// What every reader of a table has in common: lines in, rows and a verdict on completeness out.
import type { RouterNote } from '#contract/router-notes.ts';
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

/** Notes on the read of a NAT table of either kind: keys that were pressed twice, log lines between the rows, rows left out. */
export function listTableNotes(
  table: Pick<SessionTable, 'unsupported'> & { logLines: number },
  pressedAgain: number,
): RouterNote[] {
  const { logLines, unsupported } = table;
  return [
    ...(pressedAgain === 0 ? [] : [{ code: 'keys_lost', questions: pressedAgain } as const]),
    ...(logLines === 0 ? [] : [{ code: 'log_in_table', lines: logLines } as const]),
    ...(unsupported.count === 0 ? [] : [{ code: 'rows_not_supported', rows: unsupported.count } as const]),
  ];
}
