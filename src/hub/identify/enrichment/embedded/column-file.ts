// The container of the embedded data: a JSON header with a digest, then columns of numbers, compressed with zstd.
//
//   bytes 0-7   "GHENRICH"
//   bytes 8-11  length of the header, little endian
//   header      ColumnFileHeader as JSON, UTF-8
//   columns     in the order of the header; numbers as byte planes: all lowest bytes, then all next ones, …
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';

export const columnFileMagic = 'GHENRICH';
export const columnFileFormat = 1;

const column = z.object({
  name: z.string(),
  /** Bytes of a number; 1 also for text. */
  width: z.union([z.literal(1), z.literal(2), z.literal(4)]),
  /** Each number is the difference to the previous one, modulo 2^(8 * width). */
  delta: z.boolean(),
  count: z.int().min(0),
});

/** A source of the data, with the attribution that its licence requires. */
const source = z.object({
  name: z.string(),
  version: z.string(),
  licence: z.string(),
  attribution: z.string(),
  url: z.string(),
});
export type DataSource = z.output<typeof source>;

export const columnFileHeader = z.object({
  format: z.literal(columnFileFormat),
  /** Day of the data, `YYYY-MM-DD`. */
  version: z.string(),
  /** SHA-256 of all columns, hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  sources: z.array(source),
  columns: z.array(column),
});
export type ColumnFileHeader = z.output<typeof columnFileHeader>;

export interface ColumnFile {
  readonly header: ColumnFileHeader;
  /** The numbers of a column. Rejects when there is no such column of at most 4 bytes. */
  numbers(name: string): Promise<Uint32Array>;
  /** A copy of the bytes of a column of width 1: the rest of the file can be freed. */
  bytes(name: string): Uint8Array;
}

/** Numbers decoded between two yields to the event loop: about a millisecond, also before the code is optimised. */
const sliceNumbers = 16_384;

/** Bytes per chunk of the decompressing thread. */
const chunkBytes = 262_144;

/** Reads and verifies `file`; decompression runs in another thread. Rejects with a sentence that names the file. */
export async function readColumnFile(file: string): Promise<ColumnFile> {
  try {
    const received = createReceiver();
    await pipeline(createReadStream(file), createZstdDecompress({ chunkSize: chunkBytes }), async (chunks) => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        received.take(chunk);
      }
    });
    return openColumns(received.end());
  } catch (cause) {
    throw new Error(`${file} holds no enrichment data that this version reads: ${messageOf(cause)}`, { cause });
  }
}

interface Received {
  header: ColumnFileHeader;
  payload: Uint8Array;
}

/** Collects the columns and digests them chunk by chunk, so that no step is long. */
function createReceiver(): { take(chunk: Buffer): void; end(): Received } {
  const hash = createHash('sha256');
  let beginning = Buffer.alloc(0);
  let received: Received | null = null;
  let filled = 0;
  const fill = ({ payload }: Received, bytes: Buffer) => {
    if (filled + bytes.length > payload.length) {
      throw new Error('it is longer than it says');
    }
    payload.set(bytes, filled);
    hash.update(bytes);
    filled += bytes.length;
  };
  return {
    take(chunk) {
      if (received) {
        fill(received, chunk);
        return;
      }
      beginning = Buffer.concat([beginning, chunk]);
      const columnsAt = beginning.length < 12 ? Infinity : 12 + beginning.readUInt32LE(8);
      if (beginning.length >= 8 && beginning.toString('latin1', 0, 8) !== columnFileMagic) {
        throw new Error('it does not begin as such a file does');
      }
      if (beginning.length >= columnsAt) {
        const header = columnFileHeader.parse(JSON.parse(beginning.toString('utf8', 12, columnsAt)));
        received = { header, payload: new Uint8Array(countBytes(header)) };
        fill(received, beginning.subarray(columnsAt));
      }
    },
    end() {
      if (!received || filled < received.payload.length) {
        throw new Error('it is cut short');
      }
      if (hash.digest('hex') !== received.header.digest) {
        throw new Error('its content does not match its digest');
      }
      return received;
    },
  };
}

/** Bytes of all columns; at most 256 MB. */
function countBytes({ columns }: ColumnFileHeader): number {
  const length = columns.reduce((sum, { width, count }) => sum + width * count, 0);
  if (length > 268_435_456) {
    throw new Error('it is larger than such a file can be');
  }
  return length;
}

function openColumns({ header, payload }: Received): ColumnFile {
  const places = new Map<string, { at: number; width: number; delta: boolean; count: number }>();
  let at = 0;
  for (const { name, ...rest } of header.columns) {
    places.set(name, { at, ...rest });
    at += rest.width * rest.count;
  }
  const place = (name: string) => {
    const found = places.get(name);
    if (!found) {
      throw new Error(`the column ${name} is missing`);
    }
    return found;
  };
  return {
    header,
    async numbers(name) {
      const { at: start, width, delta, count } = place(name);
      return decode(payload.subarray(start, start + width * count), { width, delta, count });
    },
    bytes(name) {
      const { at: start, count } = place(name);
      return payload.slice(start, start + count);
    },
  };
}

async function decode(
  planes: Uint8Array,
  { width, delta, count }: { width: number; delta: boolean; count: number },
): Promise<Uint32Array> {
  const numbers = new Uint32Array(count);
  let before = 0;
  for (let index = 0; index < count; ) {
    const end = Math.min(count, index + sliceNumbers);
    // Plane by plane: sequential reads.
    for (let plane = width - 1; plane >= 0; plane -= 1) {
      const start = plane * count;
      for (let at = index; at < end; at += 1) {
        numbers[at] = ((numbers[at] ?? 0) << 8) | (planes[start + at] ?? 0);
      }
    }
    for (let at = index; delta && at < end; at += 1) {
      before = (before + (numbers[at] ?? 0)) >>> 0;
      numbers[at] = before;
    }
    index = end;
    await yieldToEventLoop();
  }
  return numbers;
}
