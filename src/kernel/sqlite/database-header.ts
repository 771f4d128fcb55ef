// The first 100 bytes of an SQLite file, read without opening it (https://sqlite.org/fileformat.html, section 1.3).
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ifThere } from '../files/files.ts';

export interface DatabaseHeader {
  /** Size of the file in bytes. */
  size: number;
  pageSize: number;
  /** Pages the file had when its header was last written; not valid next to a write-ahead log. */
  pages: number;
  userVersion: number;
  applicationId: number;
  /** Whether SQLite knows its file formats: a file with an unknown one cannot be written, or not even read. */
  hasKnownFormats: boolean;
  /** Whether its texts are UTF-8. SQLite cannot attach a database with another encoding to one of ours. */
  isUtf8: boolean;
}

export type NoHeader = 'missing' | 'empty' | 'not SQLite';

/** Throws the error of the system when the file is there and cannot be read. */
export function readDatabaseHeader(file: string): DatabaseHeader | NoHeader {
  const handle = ifThere(() => openSync(file, 'r'), null);
  if (handle === null) {
    return 'missing';
  }
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(100);
    return size === 0 ? 'empty' : readSync(handle, bytes) < 100 ? 'not SQLite' : parseDatabaseHeader(bytes, size);
  } finally {
    closeSync(handle);
  }
}

/** `bytes`: the first 100 of a file of `size` bytes. */
export function parseDatabaseHeader(bytes: Buffer, size: number): DatabaseHeader | 'not SQLite' {
  const stored = bytes.readUInt16BE(16);
  const pageSize = stored === 1 ? 65_536 : stored;
  const isPower = pageSize >= 512 && (pageSize & (pageSize - 1)) === 0;
  if (bytes.toString('latin1', 0, 16) !== 'SQLite format 3\0' || !isPower) {
    return 'not SQLite';
  }
  return {
    size,
    pageSize,
    pages: bytes.readUInt32BE(28),
    userVersion: bytes.readUInt32BE(60),
    applicationId: bytes.readUInt32BE(68),
    hasKnownFormats: bytes.readUInt8(18) <= 2 && bytes.readUInt8(19) <= 2 && bytes.readUInt32BE(44) <= 4,
    isUtf8: bytes.readUInt32BE(56) === 1,
  };
}
