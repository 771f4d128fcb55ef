// Verifies a generation: its bytes against its manifest, or what SQLite finds where there is none.

import { messageOf } from '#kernel/errors.ts';
import { packageVersion } from '#kernel/process/version.ts';
import type { DatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { isRefused } from '#kernel/sqlite/refused-write.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { createStatement, type Statement } from '../../statements.ts';
import { findDamage, findForeignSchema, readProductHeader, type Unusable } from '../product.ts';
import { type StoredGeneration, toUnusable, toUnverified } from './inventory.ts';
import { describeFile, findDifferentPages, type Manifest, readManifest, writeManifest } from './manifest.ts';

/**
 * Compares a generation with what its manifest says of it. Resolves to null when it is unchanged, else to what is wrong with
 * it. Other work of the thread goes on meanwhile.
 */
export async function verifyGeneration(stored: StoredGeneration, signal?: AbortSignal): Promise<Statement | null> {
  try {
    const manifest = readManifest(stored.file);
    return manifest ? await compareWithManifest(stored, manifest, signal) : await createManifest(stored, signal);
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    return toUnverified(error);
  }
}

async function compareWithManifest(
  stored: StoredGeneration,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Statement | null> {
  if (stored.size !== manifest.size) {
    const sentence = `it has ${stored.size} bytes, ${manifest.size} when it was made: it was changed or cut`;
    return createStatement('backup_size_changed', sentence, { size: stored.size, expected: manifest.size });
  }
  const found = await describeFile(stored.file, manifest, signal);
  if (found.sha256 === manifest.sha256) {
    return null;
  }
  const pages = findDifferentPages(manifest.pages, found.pages).join(', ');
  const total = manifest.size / manifest.pageSize;
  const sentence = `its content is not what it was when it was made: page ${pages} of ${total} differs`;
  return createStatement('backup_pages_changed', sentence, { pages, total });
}

/**
 * A file that somebody put there without its manifest: when it is a whole database of this product, it gets one, so that
 * later damage is found. Damage from before is found as far as SQLite can see it.
 */
async function createManifest(stored: StoredGeneration, signal?: AbortSignal): Promise<Statement | null> {
  const fault = inspectUnknownFile(stored.file);
  if ('cause' in fault) {
    return toUnusable(fault);
  }
  const about = {
    name: stored.name,
    created: isoTime(stored.createdAt),
    schema: fault.userVersion,
    version: packageVersion(),
    pageSize: fault.pageSize,
  };
  writeManifest(stored.file, await describeFile(stored.file, about, signal));
  return null;
}

/** Returns the header of a closed file, or why it is no whole database of this product. Throws when it cannot be read. */
export function inspectUnknownFile(file: string): DatabaseHeader | Unusable {
  const header = readProductHeader(file);
  if ('cause' in header) {
    return header;
  }
  try {
    return findForeignSchema(file) ?? findDamage(file, 'whole') ?? header;
  } catch (error) {
    if (isRefused(error)) {
      throw error;
    }
    return { sentence: `it is damaged (${messageOf(error)})`, cause: 'damaged' };
  }
}
