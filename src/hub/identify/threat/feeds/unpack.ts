// Decompresses documents into text, within a bound: plain, gzip, or a ZIP archive of one file.
import { promisify } from 'node:util';
import { crc32, gunzipSync, gzip, inflateRawSync } from 'node:zlib';
import { messageOf } from '#kernel/errors.ts';

export type Unpacked = { text: string } | { problem: string };

const gzipMark = 0x1f8b;
const localMark = 0x04034b50;
const centralMark = 0x02014b50;
const endMark = 0x06054b50;

/** A higher level takes three times as long to save a fifth. */
const level = 1;

/** Compresses a document for storage, unless it is compressed. Off the event loop. */
export async function pack(body: Uint8Array): Promise<Uint8Array> {
  const isPacked = (body[0] === 0x1f && body[1] === 0x8b) || (body[0] === 0x50 && body[1] === 0x4b);
  return isPacked ? body : promisify(gzip)(body, { level });
}

/** Text of at most `maxBytes` bytes; a problem when it is longer, or cannot be decompressed. */
export function unpack(body: Uint8Array, maxBytes: number): Unpacked {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  try {
    if (bytes.length > 2 && bytes.readUInt16BE(0) === gzipMark) {
      return { text: gunzipSync(bytes, { maxOutputLength: maxBytes }).toString('utf8') };
    }
    if (bytes.length > 4 && bytes.readUInt32LE(0) === localMark) {
      return unzip(bytes, maxBytes);
    }
  } catch (error) {
    return { problem: `it cannot be unpacked (${messageOf(error)})` };
  }
  return { text: bytes.toString('utf8') };
}

/** The one file of an archive (APPNOTE.TXT 4.3): its size is known from the directory at the end. */
function unzip(bytes: Buffer, maxBytes: number): Unpacked {
  const end = bytes.length - 22;
  if (end < 0 || bytes.readUInt32LE(end) !== endMark || bytes.readUInt16LE(end + 10) !== 1) {
    return { problem: 'it is no archive of one file' };
  }
  const directory = bytes.readUInt32LE(end + 16);
  if (directory + 46 > end || bytes.readUInt32LE(directory) !== centralMark) {
    return { problem: 'its archive has no directory' };
  }
  const method = bytes.readUInt16LE(directory + 10);
  const checksum = bytes.readUInt32LE(directory + 16);
  const packedBytes = bytes.readUInt32LE(directory + 20);
  const local = bytes.readUInt32LE(directory + 42);
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const content = bytes.subarray(start, start + packedBytes);
  const file = method === 8 ? inflateRawSync(content, { maxOutputLength: maxBytes }) : content;
  if ((method !== 0 && method !== 8) || file.length > maxBytes || crc32(file) !== checksum) {
    return { problem: 'its archive is damaged' };
  }
  return { text: file.toString('utf8') };
}
