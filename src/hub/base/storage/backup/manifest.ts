// The manifest of a generation: what its bytes were when it was made. SQLite's checks find little of later damage.
import path from 'node:path';
import { z } from 'zod';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { computeChecksum, pageChecksums } from '#kernel/files/large-files.ts';
import { readInput } from '#kernel/text/problem.ts';

const manifest = z.object({
  name: z.string(),
  created: z.string(),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  schema: z.int().min(0),
  /** `gatehouse`'s version. */
  version: z.string(),
  pageSize: z.int().min(512),
  /** CRC-32 of each page: little-endian 32-bit words, base64. */
  pages: z.base64().refine((text) => Buffer.from(text, 'base64').length % 4 === 0),
});
export type Manifest = z.output<typeof manifest>;

export const toManifestFile = (file: string) => `${file}.json`;

/** Reads the manifest of `file`; null when it has none. Throws an Error when the manifest is damaged. */
export function readManifest(file: string): Manifest | null {
  const stored = readJson(toManifestFile(file));
  if (stored === undefined) {
    return null;
  }
  const parsed = readInput(manifest, stored);
  if (!parsed.success || parsed.data.name !== path.basename(file)) {
    throw new Error(`${toManifestFile(file)} is not the manifest of this generation`);
  }
  return parsed.data;
}

export function writeManifest(file: string, content: Manifest): void {
  writeJson(toManifestFile(file), content);
}

/** Describes the bytes in `file` as the generation `name`. */
export async function describeFile(
  file: string,
  about: Pick<Manifest, 'name' | 'created' | 'schema' | 'version' | 'pageSize'>,
  signal?: AbortSignal,
): Promise<Manifest> {
  const pages = pageChecksums(about.pageSize);
  const checksum = await computeChecksum(file, { signal, each: pages.add });
  return { ...about, ...checksum, pages: pages.text() };
}

/** Compares checksums of pages: the numbers of those that differ, from 1 as SQLite counts; `most` at most. */
export function findDifferentPages(expected: string, found: string, most = 10): number[] {
  const decode = (text: string) => new Uint32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
  const before = decode(expected);
  const now = decode(found);
  const different: number[] = [];
  for (let page = 0; page < Math.max(before.length, now.length) && different.length < most; page += 1) {
    if (before[page] !== now[page]) {
      different.push(page + 1);
    }
  }
  return different;
}
