// What is kept of the feeds: how each document fared, its last good text, and which tables the log was judged with.
import type { Db, Writer, WriteSteps } from '#kernel/sqlite.ts';
import { type PartName, partNames } from './parts.ts';

/** How a document fares. Instants are epoch milliseconds. */
export interface PartRecord {
  /** When what is kept was fetched; null: nothing is. */
  fetchedAt: number | null;
  etag: string | null;
  lastModified: string | null;
  sha256: string | null;
  entries: number;
  checkedAt: number | null;
  attemptedAt: number | null;
  nextAt: number;
  failures: number;
  failure: string | null;
  refusedKey: string | null;
}

export type PartRecords = Readonly<Record<PartName, PartRecord>>;

const blank: PartRecord = {
  fetchedAt: null,
  etag: null,
  lastModified: null,
  sha256: null,
  entries: 0,
  checkedAt: null,
  attemptedAt: null,
  nextAt: 0,
  failures: 0,
  failure: null,
  refusedKey: null,
};

const pieceBytes = 262_144;

export function readRecords(db: Db): PartRecords {
  const rows = db
    .prepare(
      `SELECT part, fetched_at AS fetchedAt, etag, last_modified AS lastModified, sha256, entries, checked_at AS checkedAt,
         attempted_at AS attemptedAt, next_at AS nextAt, failures, failure, refused_key AS refusedKey
       FROM threat_part`,
    )
    .all() as (PartRecord & { part: string })[];
  const known = new Map(rows.map(({ part, ...record }) => [part, record]));
  return Object.fromEntries(partNames.map((name) => [name, known.get(name) ?? blank])) as Record<PartName, PartRecord>;
}

/** Keeps the record, and `packed` in place of the document before when there is one; both or neither. */
export function saveRecord(db: Db, part: PartName, record: PartRecord, packed?: Uint8Array): Promise<void> {
  return db.write(function* (writer): WriteSteps<void> {
    if (packed) {
      yield* replaceDocument(writer, part, packed);
    }
    writer
      .prepare(
        `INSERT OR REPLACE INTO threat_part (part, fetched_at, etag, last_modified, sha256, entries, checked_at,
           attempted_at, next_at, failures, failure, refused_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        part,
        record.fetchedAt,
        record.etag,
        record.lastModified,
        record.sha256,
        record.entries,
        record.checkedAt,
        record.attemptedAt,
        record.nextAt,
        record.failures,
        record.failure,
        record.refusedKey,
      );
  });
}

function* replaceDocument(writer: Writer, part: PartName, packed: Uint8Array): WriteSteps<void> {
  const remove = writer.prepare('DELETE FROM threat_document WHERE part = ? AND piece = ?');
  const insert = writer.prepare('INSERT INTO threat_document (part, piece, bytes) VALUES (?, ?, ?)');
  for (let piece = 0; remove.run(part, piece).changes > 0; piece += 1) {
    yield;
  }
  for (let piece = 0; piece * pieceBytes < packed.length; piece += 1) {
    const start = piece * pieceBytes;
    insert.run(
      part,
      piece,
      Buffer.from(packed.buffer, packed.byteOffset + start, Math.min(pieceBytes, packed.length - start)),
    );
    yield;
  }
}

/** The last good document; `null` when there is none. */
export function readDocument(db: Db, part: PartName): Uint8Array | null {
  const rows = db.prepare('SELECT bytes FROM threat_document WHERE part = ? ORDER BY piece').all(part);
  return rows.length === 0
    ? null
    : new Uint8Array(Buffer.concat((rows as { bytes: Buffer }[]).map(({ bytes }) => bytes)));
}

/** Version of the tables that every verdict of the log agrees with; `null` while nothing was ever listed. */
export function judgedVersion(db: Db): string | null {
  const row = db.prepare('SELECT version FROM threat_verdicts').get() as { version: string } | undefined;
  return row?.version ?? null;
}

export function saveJudgedVersion(db: Db, version: string): Promise<void> {
  return db.write((writer) => {
    writer.prepare('INSERT OR REPLACE INTO threat_verdicts (id, version) VALUES (1, ?)').run(version);
  });
}
