// Batches on disk: one file each, in the order of delivery, bounded. A batch is on disk before it is sent.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { writeText } from '#kernel/files.ts';
import type { AgentFiles } from '../folder.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import { type Batch, batch } from './batches.ts';

export interface SpoolFacts {
  batches: number;
  bytes: number;
  maxBytes: number;
  /** Since the start of the program, for want of room. */
  droppedBatches: number;
  droppedObservations: number;
  /** Refused by the hub, and stored in `parked/`. */
  parked: number;
}

export interface Spool {
  /** Throws when it cannot be written. */
  add(one: Batch): void;
  /** The oldest one; it is not dropped while it is being sent. Null: there is none. */
  head(): Batch | null;
  /** The oldest one was delivered. */
  delivered(): void;
  /** The oldest one will never be accepted: it is put aside. */
  park(): void;
  facts(): SpoolFacts;
}

interface Entry {
  name: string;
  bytes: number;
  /** Unknown of a batch of an earlier run, until it is read. */
  observations: number | null;
}

export function openSpool({ spool, parked }: Pick<AgentFiles, 'spool' | 'parked'>, maxBytes: number): Spool {
  const aside = entriesOf(parked);
  const isAside = new Set(aside.map(({ name }) => name));
  // A program that was killed while it put one aside.
  const entries = entriesOf(spool).filter(({ name }) => !(isAside.has(name) && remove(spool, name)));
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  let next = 1 + Math.max(0, ...[...entries, ...aside].map(({ name }) => Number(name.slice(0, digits))));
  const dropped = { batches: 0, observations: 0 };
  let isHeadOut = false;

  const take = (index: number) => {
    const [entry] = entries.splice(index, 1);
    if (entry) {
      bytes -= entry.bytes;
      remove(spool, entry.name);
    }
    return entry;
  };
  const drop = () => {
    const index = isHeadOut ? 1 : 0;
    const name = entries[index]?.name;
    const count = entries[index]?.observations ?? (name ? (read(spool, name)?.observations.length ?? 0) : 0);
    take(index);
    dropped.batches += 1;
    dropped.observations += count;
  };
  const canDrop = () => entries.length > (isHeadOut ? 1 : 0);
  const putAside = (name: string) => {
    const text = readFileSync(path.join(spool, name), 'utf8');
    writeText(path.join(parked, name), text);
    aside.push({ name, bytes: text.length, observations: null });
    while (aside.length > limits.parkedBatches) {
      remove(parked, aside.shift()?.name ?? '');
    }
  };

  return {
    add(one) {
      const text = JSON.stringify(one);
      const size = Buffer.byteLength(text);
      while (bytes + size > maxBytes && canDrop()) {
        drop();
      }
      const name = `${String(next).padStart(digits, '0')}-${one.batchId}.json`;
      try {
        writeText(path.join(spool, name), text);
      } catch (error) {
        if (!canDrop()) {
          throw error;
        }
        // A full disk: what is newest is worth more than what is oldest.
        drop();
        writeText(path.join(spool, name), text);
      }
      next += 1;
      entries.push({ name, bytes: size, observations: one.observations.length });
      bytes += size;
    },
    head() {
      for (;;) {
        const [entry] = entries;
        const found = entry ? read(spool, entry.name) : null;
        if (entry === undefined || found !== null) {
          isHeadOut = entry !== undefined;
          return found;
        }
        // Damaged on disk: nobody can send it.
        take(0);
        dropped.batches += 1;
      }
    },
    delivered() {
      take(0);
      isHeadOut = false;
    },
    park() {
      const name = entries[0]?.name;
      if (name !== undefined) {
        putAside(name);
        take(0);
      }
      isHeadOut = false;
    },
    facts: () => ({
      batches: entries.length,
      bytes,
      maxBytes,
      droppedBatches: dropped.batches,
      droppedObservations: dropped.observations,
      parked: namesOf(parked).length,
    }),
  };
}

const digits = 12;
const pattern = /^\d{12}-[\da-f-]{36}\.json$/;

const namesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort();

/** Sorted; what a killed program left half written is removed. */
function entriesOf(folder: string): Entry[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.tmp'))) {
    remove(folder, name);
  }
  return namesOf(folder).map((name) => ({ name, bytes: statSync(path.join(folder, name)).size, observations: null }));
}

function remove(folder: string, name: string): true {
  rmSync(path.join(folder, name), { force: true });
  return true;
}

function read(folder: string, name: string): Batch | null {
  try {
    return batch.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
  } catch {
    return null;
  }
}
