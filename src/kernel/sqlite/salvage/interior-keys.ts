// Reads from the bytes of a damaged file at which keys the leaf pages of a table begin, because SQLite shows rows only
// (https://sqlite.org/fileformat.html, section 1.6). The write-ahead log may hold newer pages: a key may be wrong.
import { closeSync, openSync, readSync } from 'node:fs';
import type { Bound, Value } from './region.ts';

export interface BtreePlace {
  file: string;
  pageSize: number;
  root: number;
}

/** First byte of an interior page: SQLite stores a table without rowids as an index. */
const indexPage = 2;
const tablePage = 5;
const headerBytes = 12;
/** SQLite refuses deeper trees; only damage makes one. */
const deepest = 20;

/** Returns where each leaf page begins, in order: the first `columns` values of its key. */
export function interiorKeys({ file, pageSize, root }: BtreePlace, columns: number): Bound[] {
  const found: Bound[] = [];
  const seen = new Set<number>();
  const handle = openSync(file, 'r');
  const visit = (number: number, depth: number): void => {
    if (number < 1 || depth > deepest || seen.has(number)) {
      return;
    }
    const page = Buffer.alloc(pageSize);
    if (readSync(handle, page, 0, pageSize, (number - 1) * pageSize) < pageSize) {
      return;
    }
    seen.add(number);
    const kind = page[0];
    const cells = page.readUInt16BE(3);
    if ((kind !== indexPage && kind !== tablePage) || headerBytes + cells * 2 > pageSize) {
      return;
    }
    for (let cell = 0; cell < cells; cell += 1) {
      const at = page.readUInt16BE(headerBytes + cell * 2);
      visit(at + 4 > pageSize ? 0 : page.readUInt32BE(at), depth + 1);
      const values = kind === tablePage ? rowidAfter(page, at + 4) : recordKey(page, at + 4, columns);
      if (values !== null) {
        found.push({ values, isRow: false });
      }
    }
    visit(page.readUInt32BE(8), depth + 1);
  };
  try {
    visit(root, 1);
  } finally {
    closeSync(handle);
  }
  return found;
}

/** The rowid of a cell is the last one of the page to its left: the next page begins after it. */
function rowidAfter(page: Buffer, at: number): Value[] | null {
  const rowid = varint(page, at);
  return rowid === null ? null : [BigInt.asIntN(64, rowid.value) + 1n];
}

/** The first values of a record (section 2.1); `null` when they are not in this page, or neither integer nor text. */
function recordKey(page: Buffer, at: number, columns: number): Value[] | null {
  // The length of the record comes first, and is not needed.
  const start = varint(page, at)?.end ?? page.length;
  const header = varint(page, start);
  if (header === null) {
    return null;
  }
  const values: Value[] = [];
  let type = header.end;
  let body = start + Number(header.value);
  for (let column = 0; column < columns; column += 1) {
    const serial = varint(page, type);
    const size = serial && sizeOf(Number(serial.value));
    if (serial === null || size === null || body + size > page.length) {
      return null;
    }
    const bytes = page.subarray(body, body + size);
    values.push(Number(serial.value) > 9 ? bytes.toString('utf8') : integer(Number(serial.value), bytes));
    type = serial.end;
    body += size;
  }
  return values;
}

/** Bytes of a value of this serial type. */
function sizeOf(serial: number): number | null {
  const integers: Record<number, number> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0 };
  return serial >= 13 && serial % 2 === 1 ? (serial - 13) / 2 : (integers[serial] ?? null);
}

function integer(serial: number, bytes: Buffer): bigint {
  return serial >= 8 ? BigInt(serial - 8) : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}

/** One to nine bytes, seven bits in each but the ninth (section 1.6). */
function varint(page: Buffer, at: number): { value: bigint; end: number } | null {
  let value = 0n;
  for (let place = 0; ; place += 1) {
    const byte = page[at + place];
    if (byte === undefined) {
      return null;
    }
    value = place === 8 ? (value << 8n) | BigInt(byte) : (value << 7n) | BigInt(byte & 127);
    if (place === 8 || byte < 128) {
      return { value, end: at + place + 1 };
    }
  }
}
