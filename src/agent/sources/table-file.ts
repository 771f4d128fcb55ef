// One socket table of /proc: its bytes as of the last read, and the rows that were in it.
import { closeSync, openSync, readSync } from 'node:fs';
import type { Held, Presence } from './ledger.ts';

export interface Row {
  turn: number;
  /** The connection that it shows; null when it is not reported. */
  held: Held | null;
}

export interface TableFile {
  readonly path: string;
  readonly networkProtocol: 'tcp' | 'udp';
  /** By endpoints and inode: ports are reused quickly, inodes are not. */
  readonly rows: Map<string, Row>;
  /** Ports that accept connections, or UDP sockets without a peer. */
  listening: Set<number>;
  readonly presence: Presence;
  /** The bytes of the table; null when they are unchanged since the last read. Throws when it cannot be read. */
  read(): Buffer | null;
}

export function createTableFile(path: string, networkProtocol: 'tcp' | 'udp'): TableFile {
  let before = Buffer.alloc(0);
  let buffer = Buffer.alloc(16_384);
  let spare = Buffer.alloc(16_384);
  return {
    path,
    networkProtocol,
    rows: new Map(),
    listening: new Set(),
    presence: { seenAt: Number.NEGATIVE_INFINITY },
    read() {
      const handle = openSync(path, 'r');
      let length = 0;
      try {
        for (let more = -1; more !== 0; length += more) {
          if (length === buffer.length) {
            buffer = Buffer.concat([buffer], length * 2);
          }
          more = readSync(handle, buffer, length, buffer.length - length, null);
        }
      } finally {
        closeSync(handle);
      }
      const table = buffer.subarray(0, length);
      if (table.equals(before)) {
        return null;
      }
      before = table;
      [buffer, spare] = [spare, buffer];
      return table;
    },
  };
}
