// The generations in the backup folder, by their names. Other files are ignored.
import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { GenerationKind, Integrity, InventoryEntry } from '#contract/backup.ts';
import { isProcessRunning } from '#kernel/files/file-lock.ts';
import { namesIn } from '#kernel/files/files.ts';
import { readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { describeCause } from '../../refusals.ts';
import { createStatement, type Statement, toFacts } from '../../statements.ts';
import type { Unusable } from '../product.ts';
import { parseGenerationName } from './generation-name.ts';

export interface StoredGeneration {
  name: string;
  file: string;
  kind: GenerationKind;
  createdAt: number;
  size: number;
  /** Identity of the file as it is now: size, inode, and when it was written. */
  stamp: string;
  schema: number | null;
  error: Statement | null;
}

/** Empty when there is no such folder. Links and folders are no generations. With `now`, in the order of `compareAge`. */
export function readInventory(folder: string, now = Number.POSITIVE_INFINITY): StoredGeneration[] {
  return namesIn(folder)
    .flatMap((name) => findGeneration(folder, name) ?? [])
    .sort((one, other) => compareAge(one.createdAt, other.createdAt, now) || (one.name < other.name ? -1 : 1));
}

/** A clock that is ahead by less than this is not regarded as wrong. */
const toleranceMs = 5 * minuteMs;

/** Whether a clock that was ahead made the generation of this time. */
export const isFromAhead = (createdAt: number, now: number): boolean => createdAt > now + toleranceMs;

/**
 * Compares times of generations, the oldest first. One that lies ahead counts as the oldest: nobody knows when it was made,
 * and as the newest it would outlive those that follow.
 */
export function compareAge(one: number, other: number, now: number): number {
  return Number(isFromAhead(other, now)) - Number(isFromAhead(one, now)) || one - other;
}

export function findGeneration(folder: string, name: string): StoredGeneration | null {
  const known = parseGenerationName(name);
  const file = path.join(folder, name);
  const stat = known && lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) {
    return null;
  }
  const { size, ino, mtimeMs } = stat;
  return { name, file, ...known, size, stamp: `${size}:${ino}:${mtimeMs}`, ...readSchema(file) } as StoredGeneration;
}

/** Removes what a killed program left: files under temporary names, and manifests without their generation. */
export function removeTemporaries(folder: string): void {
  const names = namesIn(folder);
  const all = new Set(names);
  for (const name of names) {
    const [, generation = '', pid] =
      /^(monitor_.+\.db)\.(?:(?:json\.)?([1-9]\d{0,9})\.tmp(?:-journal)?|json)$/.exec(name) ?? [];
    const isLeft =
      pid === undefined ? !all.has(generation) : Number(pid) === process.pid || !isProcessRunning(Number(pid));
    if (parseGenerationName(generation) && isLeft) {
      rmSync(path.join(folder, name), { force: true });
    }
  }
}

function readSchema(file: string): Pick<StoredGeneration, 'schema' | 'error'> {
  try {
    const header = readDatabaseHeader(file);
    return typeof header === 'string'
      ? { schema: null, error: toUnusable({ sentence: `it is ${header}`, cause: 'no_database' }) }
      : { schema: header.userVersion, error: null };
  } catch (error) {
    return { schema: null, error: toUnverified(error) };
  }
}

/** States that a file is no backup, and what it is instead. */
export function toUnusable({ sentence, cause }: Unusable): Statement {
  return createStatement('backup_unusable', sentence, { detail: sentence, cause });
}

export function toUnverified(error: unknown): Statement {
  const about = describeCause(error);
  return createStatement('backup_unverified', `it could not be verified (${about.detail})`, about);
}

/** The results of verifications, each of a file as it was then. */
export class Verdicts {
  #found = new Map<string, { stamp: string; integrity: Integrity; error: Statement | null }>();

  note({ name, stamp }: StoredGeneration, integrity: Integrity, error: Statement | null): void {
    this.#found.set(name, { stamp, integrity, error });
  }

  /** The entry as it is shown: `unchecked` when the file was not verified as it is now. */
  entry(stored: StoredGeneration): InventoryEntry {
    const { name, kind, size, createdAt, schema, stamp } = stored;
    const known = this.#found.get(name);
    const { integrity, error } =
      known?.stamp === stamp ? known : { integrity: 'unchecked' as const, error: stored.error };
    const created = isoTime(createdAt);
    const said = { ...(error && { error: error.sentence }), errorFacts: toFacts(error) };
    return { name, kind, size, created, integrity, schema, ...said };
  }
}
