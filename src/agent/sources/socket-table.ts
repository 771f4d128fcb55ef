// Reads the socket tables of the kernel (/proc/net/tcp, tcp6, udp, udp6) from their bytes, without a string for each field.
import { endianness } from 'node:os';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Tuple } from './connection.ts';

/** States of the column `st` (include/net/tcp_states.h); unconnected UDP sockets have that of a closed one. */
export const socketState = { established: 1, synSent: 2, synReceived: 3, timeWait: 6, closed: 7, listen: 10 } as const;

/** `endpoints` is `LOCAL:PORT REMOTE:PORT` as the table spells it; `inode` is 0 when no process holds the socket. */
export type RowReader = (endpoints: string, state: number, inode: number) => void;

const newline = 10;
const blank = 32;
const colon = 58;
/** Columns, counted from the local address. */
const stateColumn = 2;
const inodeColumn = 8;

/** Calls `row` for each line of the table; returns how many lines were not understood. */
export function parseSocketTable(table: Buffer, row: RowReader): number {
  let damaged = 0;
  for (let start = 0; start < table.length; ) {
    const found = table.indexOf(newline, start);
    const end = found < 0 ? table.length : found;
    if (!parseLine(table, start, end, row) && !isHeading(table, start, end)) {
      damaged += 1;
    }
    start = end + 1;
  }
  return damaged;
}

function isHeading(table: Buffer, start: number, end: number): boolean {
  return table
    .toString('latin1', start, Math.min(end, start + 24))
    .trimStart()
    .startsWith('sl ');
}

function parseLine(table: Buffer, start: number, end: number, row: RowReader): boolean {
  const number = table.indexOf(colon, start);
  if (number < 0 || number >= end || table[number + 1] !== blank) {
    return false;
  }
  const local = number + 2;
  let endpointsEnd = 0;
  let state = -1;
  let column = 0;
  for (let at = local; at < end; column += 1) {
    let next = at;
    while (next < end && table[next] !== blank) {
      next += 1;
    }
    if (column === 1) {
      endpointsEnd = next;
    } else if (column === stateColumn) {
      state = parseNumber(table, at, next, 16);
    } else if (column === inodeColumn) {
      const inode = parseNumber(table, at, next, 10);
      if (state < 0 || inode < 0) {
        return false;
      }
      row(table.toString('latin1', local, endpointsEnd), state, inode);
      return true;
    }
    at = next;
    while (at < end && table[at] === blank) {
      at += 1;
    }
  }
  return false;
}

/** -1 when it is not a number of this base, or not a safe one. */
function parseNumber(table: Buffer, start: number, end: number, base: 10 | 16): number {
  let value = start < end && end - start <= 15 ? 0 : -1;
  for (let at = start; at < end && value >= 0; at += 1) {
    const code = table[at] ?? 0;
    const digit = code <= 57 ? code - 48 : code >= 97 ? code - 87 : code - 55;
    value = digit >= 0 && digit < base ? value * base + digit : -1;
  }
  return Number.isSafeInteger(value) ? value : -1;
}

const spelled = /^([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4}) ([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4})$/;

/** The tuple of `endpoints`; null when they are damaged. The kernel prints addresses in the order of its processor. */
export function parseEndpoints(
  endpoints: string,
  networkProtocol: 'tcp' | 'udp',
  order: 'LE' | 'BE' = endianness(),
): Tuple | null {
  const [, local = '', localPort = '', remote = '', remotePort = ''] = spelled.exec(endpoints) ?? [];
  const localAddress = parseAddress(local, order);
  const remoteAddress = parseAddress(remote, order);
  return localAddress === null || remoteAddress === null
    ? null
    : {
        networkProtocol,
        localAddress,
        localPort: Number.parseInt(localPort, 16),
        remoteAddress,
        remotePort: Number.parseInt(remotePort, 16),
      };
}

function parseAddress(hex: string, order: 'LE' | 'BE'): string | null {
  const bytes = Buffer.from(hex, 'hex');
  if (order === 'LE' && bytes.length % 4 === 0) {
    bytes.swap32();
  }
  if (bytes.length === 4) {
    return bytes.join('.');
  }
  const groups = Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return canonicalIp(groups.join(':'));
}
