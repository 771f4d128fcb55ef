// Files too large for memory: checksums, copies, writing from a stream, and durable renames.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { collectYoung } from '../process/collect-young.ts';
import { notWritten } from './files.ts';

const chunkBytes = 1_048_576;
/** Buffers of a stream that may accumulate before they are freed. */
const collectBytes = 4_194_304;

export interface FileChecksum {
  size: number;
  /** SHA-256, lower-case hex. */
  sha256: string;
}

export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes of each chunk, 1 MiB and less at the end. */
  each?: ((chunk: Uint8Array) => void) | undefined;
}

/** Reads the whole file once; other work of the thread runs between its chunks. */
export async function computeChecksum(file: string, { signal, each }: ReadOptions = {}): Promise<FileChecksum> {
  const handle = await open(file, 'r');
  try {
    return await readThrough(handle, signal, async (chunk) => each?.(chunk));
  } finally {
    await handle.close();
  }
}

/** Copies into `target`, a new file with mode 0600, and syncs it; the checksum is of the bytes that were copied. */
export async function copyChecked(
  file: string,
  target: string,
  { signal, each }: ReadOptions = {},
): Promise<FileChecksum> {
  const source = await open(file, 'r');
  try {
    return await makeFile(target, (write) =>
      readThrough(source, signal, async (chunk) => {
        await write(chunk);
        each?.(chunk);
      }),
    );
  } finally {
    await source.close();
  }
}

/** Writes the content of `stream` into `target`, a new file with mode 0600, and syncs it. */
export function receiveFile(stream: Readable, target: string): Promise<FileChecksum> {
  return makeFile(target, async (write) => {
    const hash = createHash('sha256');
    let size = 0;
    let collectedAt = 0;
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      await write(chunk);
      hash.update(chunk);
      size += chunk.length;
      if (size - collectedAt >= collectBytes) {
        collectedAt = size;
        collectYoung();
      }
    }
    return { size, sha256: hash.digest('hex') };
  });
}

export function syncFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames within a file system, replacing `target`; the new name is on the disk when this returns. */
export function renameDurably(file: string, target: string): void {
  renameSync(file, target);
  syncFile(path.dirname(target));
  if (path.dirname(file) !== path.dirname(target)) {
    syncFile(path.dirname(file));
  }
}

/** Removes a file that may be absent; its name is off the disk when this returns. */
export function removeDurably(file: string): void {
  rmSync(file, { force: true });
  syncFile(path.dirname(file));
}

/** CRC-32 of each page, in order; feed it chunks of whole pages. */
export function pageChecksums(pageSize: number) {
  const sums: number[] = [];
  return {
    add(chunk: Uint8Array) {
      for (let at = 0; at < chunk.length; at += pageSize) {
        sums.push(crc32(chunk.subarray(at, at + pageSize)));
      }
    },
    /** Little-endian 32-bit words, base64. */
    text: () => Buffer.from(Uint32Array.from(sums).buffer).toString('base64'),
  };
}

async function readThrough(
  handle: FileHandle,
  signal: AbortSignal | undefined,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<FileChecksum> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(chunkBytes);
  for (let size = 0; ; ) {
    signal?.throwIfAborted();
    const chunk = buffer.subarray(0, await fill(handle, buffer));
    if (chunk.length === 0) {
      return { size, sha256: hash.digest('hex') };
    }
    hash.update(chunk);
    await take(chunk);
    size += chunk.length;
  }
}

/** Reads until the buffer is full or the file ends: one read may return less (read(2)). */
async function fill(handle: FileHandle, buffer: Buffer): Promise<number> {
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) {
      return length;
    }
  }
}

async function makeFile<T>(
  file: string,
  work: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  const handle = await open(file, 'wx', 0o600);
  try {
    const write = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, at);
        at += bytesWritten;
      }
    };
    const made = await work(write);
    await handle.sync();
    return made;
  } catch (error) {
    rmSync(file, { force: true });
    throw notWritten(file, error);
  } finally {
    await handle.close();
  }
}
