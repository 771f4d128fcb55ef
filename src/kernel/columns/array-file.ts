// A file of typed arrays, read without a copy in memory. Its checksums cover every byte: it is whole, or it is refused.
//
//   bytes 0-7    "GHARRAYS"
//   bytes 8-11   length of the header, little endian
//   bytes 12-15  CRC-32 of the header, little endian
//   header       ArrayFileHeader as JSON, UTF-8
//   arrays       in the order of the header, in the byte order of the machine
//   last 4 bytes CRC-32 of all bytes before, little endian
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../files/files.ts';

const magic = 'GHARRAYS';
const beginningBytes = 16;
const maxHeaderBytes = 65_536;

const arrayTypes = { Uint8Array, Uint16Array, Uint32Array, Int32Array };
type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array;
export type NamedArrays = Readonly<Record<string, NumberArray>>;

interface ArrayFileHeader {
  endianness: string;
  /** What the writer says about the arrays. */
  about: unknown;
  arrays: { name: string; type: keyof typeof arrayTypes; length: number }[];
}

/**
 * Replaces `file`, mode 0600, by way of a temporary file. `about` is any JSON. Throws when not every byte could be written:
 * `file` is unchanged then.
 */
export function writeArrayFile(file: string, about: unknown, arrays: NamedArrays): void {
  const header: ArrayFileHeader = {
    endianness: endianness(),
    about,
    arrays: Object.entries(arrays).map(([name, values]) => ({
      name,
      type: values.constructor.name as keyof typeof arrayTypes,
      length: values.length,
    })),
  };
  replaceFile(file, partsOf(header, Object.values(arrays).map(toBytes)), { isSynced: false });
}

function* partsOf(header: ArrayFileHeader, arrays: readonly Uint8Array[]): Generator<Uint8Array, void, void> {
  const text = Buffer.from(JSON.stringify(header));
  const beginning = Buffer.alloc(beginningBytes);
  beginning.write(magic, 'latin1');
  beginning.writeUInt32LE(text.length, 8);
  beginning.writeUInt32LE(crc32(text), 12);
  let checksum = 0;
  for (const part of [beginning, text, ...arrays]) {
    checksum = crc32(part, checksum);
    yield part;
  }
  const end = Buffer.alloc(4);
  end.writeUInt32LE(checksum);
  yield end;
}

/**
 * Returns the arrays of `file` when `isWanted` accepts what was said about them, with room for `spare(name)` more
 * elements each; null when it does not. Throws an Error that says what is wrong when the file is not whole, and the
 * system's error, such as ENOENT, when it cannot be read.
 */
export function readArrayFile<A>(
  file: string,
  isWanted: (about: unknown) => about is A,
  spare: (name: string) => number,
): { about: A; arrays: NamedArrays } | null {
  const handle = openSync(file, 'r');
  try {
    const size = fstatSync(handle).size;
    const beginning = readBytes(handle, beginningBytes);
    const headerBytes = beginning.readUInt32LE(8);
    if (beginning.toString('latin1', 0, 8) !== magic || headerBytes > maxHeaderBytes) {
      throw new Error('it does not begin as such a file does');
    }
    const text = readBytes(handle, headerBytes);
    if (crc32(text) !== beginning.readUInt32LE(12)) {
      throw new Error('its header does not match its checksum');
    }
    const header = JSON.parse(text.toString()) as ArrayFileHeader;
    const { about } = header;
    if (header.endianness !== endianness() || !isWanted(about)) {
      return null;
    }
    const bytes = header.arrays.reduce((sum, { type, length }) => sum + arrayTypes[type].BYTES_PER_ELEMENT * length, 0);
    if (size !== beginning.length + text.length + bytes + 4) {
      throw new Error('it is not as long as it says');
    }
    let checksum = crc32(text, crc32(beginning));
    const arrays: Record<string, NumberArray> = {};
    for (const { name, type, length } of header.arrays) {
      const array = new arrayTypes[type](length + spare(name));
      const part = toBytes(array.subarray(0, length));
      fillBytes(handle, part);
      checksum = crc32(part, checksum);
      arrays[name] = array;
    }
    if (readBytes(handle, 4).readUInt32LE() !== checksum) {
      throw new Error('its content does not match its checksum');
    }
    return { about, arrays };
  } finally {
    closeSync(handle);
  }
}

function readBytes(handle: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  fillBytes(handle, bytes);
  return bytes;
}

function fillBytes(handle: number, bytes: Uint8Array): void {
  for (let filled = 0; filled < bytes.length; ) {
    const read = readSync(handle, bytes, filled, bytes.length - filled, null);
    if (read === 0) {
      throw new Error('it is cut short');
    }
    filled += read;
  }
}

function toBytes({ buffer, byteOffset, byteLength }: NumberArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
