// The framing of the trapper protocol: `ZBXD`, a byte of flags, two lengths, and a body that may be compressed.
import { inflateSync } from 'node:zlib';

const magic = Buffer.from('ZBXD');

export const flags = { protocol: 0x01, compressed: 0x02, large: 0x04 } as const;

/** Longest body that is read, also after it is uncompressed: 16 MiB. */
export const longestBody = 16 * 1024 * 1024;

export type Parsed =
  /** Not enough bytes yet. */
  { state: 'part' } | { state: 'whole'; body: string; flags: number } | { state: 'wrong'; reason: string };

export function parseFrame(bytes: Buffer): Parsed {
  if (!magic.subarray(0, bytes.length).equals(bytes.subarray(0, magic.length))) {
    return { state: 'wrong', reason: 'does not begin with ZBXD' };
  }
  const given = bytes[4];
  if (given === undefined) {
    return { state: 'part' };
  }
  if ((given & flags.protocol) === 0 || given > 0x07) {
    return { state: 'wrong', reason: `flags are ${given}` };
  }
  const isLarge = (given & flags.large) !== 0;
  const headLength = isLarge ? 21 : 13;
  if (bytes.length < headLength) {
    return { state: 'part' };
  }
  const length = isLarge ? Number(bytes.readBigUInt64LE(5)) : bytes.readUInt32LE(5);
  if (length > longestBody) {
    return { state: 'wrong', reason: `a body of ${length} bytes is too long` };
  }
  if (bytes.length < headLength + length) {
    return { state: 'part' };
  }
  const body = bytes.subarray(headLength, headLength + length);
  const plain = (given & flags.compressed) === 0 ? body : inflate(body);
  return plain === null
    ? { state: 'wrong', reason: 'the compressed body cannot be read' }
    : { state: 'whole', body: plain.toString(), flags: given };
}

/** A frame as a server of today sends it: not compressed. */
export function createFrame(body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(13);
  magic.copy(head);
  head.writeUInt8(flags.protocol, 4);
  head.writeUInt32LE(bytes.length, 5);
  return Buffer.concat([head, bytes]);
}

function inflate(body: Buffer): Buffer | null {
  try {
    return inflateSync(body, { maxOutputLength: longestBody });
  } catch {
    // The body is not compressed, or too long when it is inflated: both are mistakes of the sender.
    return null;
  }
}
