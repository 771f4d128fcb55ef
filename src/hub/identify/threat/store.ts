// Storage of the feeds: the record, text and rows of each document.

import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { type DocumentName, documentNames } from './feed-documents.ts';
import { type DocumentRows, openRows } from './tables/rows.ts';

/** The state of a document. Instants are epoch milliseconds. */
export interface DocumentRecord {
  /** When the stored document was fetched; null: none is stored. */
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
  /** Version of the parsers that made the stored rows; null: none are stored. */
  readBy: string | null;
}

export type DocumentRecords = Readonly<Record<DocumentName, DocumentRecord>>;

/** The fields that describe the stored document, for a record without one. */
export const nothingStored = {
  fetchedAt: null,
  etag: null,
  lastModified: null,
  sha256: null,
  entries: 0,
  readBy: null,
};

const blank: DocumentRecord = {
  ...nothingStored,
  checkedAt: null,
  attemptedAt: null,
  nextAt: 0,
  failures: 0,
  failure: null,
  refusedKey: null,
};

/** Moves a record whose last attempt is in the future back to `now`: the clock was ahead then. */
export function clampToNow(now: number, record: DocumentRecord): DocumentRecord {
  const aheadMs = (record.attemptedAt ?? 0) - now;
  const past = (at: number | null) => (at === null ? null : Math.min(at, now));
  return aheadMs > 0
    ? {
        ...record,
        attemptedAt: now,
        checkedAt: past(record.checkedAt),
        fetchedAt: past(record.fetchedAt),
        nextAt: record.nextAt - aheadMs,
      }
    : record;
}

type PieceTable = 'threat_document' | 'threat_rows';

const pieceBytes = 262_144;
/** Read between two yields to the event loop. */
const piecesAtOnce = 4;

export function readRecords(db: Db): DocumentRecords {
  const rows = db
    .prepare(
      `SELECT part, fetched_at AS fetchedAt, etag, last_modified AS lastModified, sha256, entries, checked_at AS checkedAt,
         attempted_at AS attemptedAt, next_at AS nextAt, failures, failure, refused_key AS refusedKey, read_by AS readBy
       FROM threat_part`,
    )
    .all() as (DocumentRecord & { part: string })[];
  const known = new Map(rows.map(({ part, ...record }) => [part, record]));
  return Object.fromEntries(documentNames.map((name) => [name, known.get(name) ?? blank])) as Record<
    DocumentName,
    DocumentRecord
  >;
}

/** Stores the record, and replaces document and rows where given, in one transaction. */
export function saveRecord(
  db: Db,
  part: DocumentName,
  record: DocumentRecord,
  { packed, rows }: { packed?: Uint8Array; rows?: DocumentRows } = {},
): Promise<void> {
  return db.write(function* (writer): WriteSteps<void> {
    if (packed) {
      yield* replacePieces(writer, 'threat_document', part, packed);
    }
    if (rows) {
      yield* replacePieces(writer, 'threat_rows', part, rows.packed);
    }
    writer
      .prepare(
        `INSERT OR REPLACE INTO threat_part (part, fetched_at, etag, last_modified, sha256, entries, checked_at,
           attempted_at, next_at, failures, failure, refused_key, read_by)
         VALUES (@part, @fetchedAt, @etag, @lastModified, @sha256, @entries, @checkedAt, @attemptedAt, @nextAt, @failures,
           @failure, @refusedKey, @readBy)`,
      )
      .run({ part, ...record });
  });
}

function* replacePieces(writer: Writer, table: PieceTable, part: DocumentName, packed: Uint8Array): WriteSteps<void> {
  const remove = writer.prepare(`DELETE FROM ${table} WHERE part = ? AND piece = ?`);
  const insert = writer.prepare(`INSERT INTO ${table} (part, piece, bytes) VALUES (?, ?, ?)`);
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

/** The compressed text of the last good document, in its own buffer; `null` when it is missing or incomplete. */
export function readText(db: Db, part: DocumentName): Promise<Uint8Array<ArrayBuffer> | null> {
  return readPieces(db, 'threat_document', part, (size) => new Uint8Array(size));
}

/** Its rows, in shared memory; `null` when they are missing or of another layout. */
export async function readRows(db: Db, part: DocumentName): Promise<DocumentRows | null> {
  const packed = await readPieces(db, 'threat_rows', part, (size) => new Uint8Array(new SharedArrayBuffer(size)));
  return packed && openRows(packed);
}

/** Yields to the event loop: megabytes are read while the hub answers. */
async function readPieces<A extends Uint8Array>(
  db: Db,
  table: PieceTable,
  part: DocumentName,
  create: (size: number) => A,
): Promise<A | null> {
  const sizes = db.prepare(`SELECT sum(length(bytes)) AS size, count(*) AS count FROM ${table} WHERE part = ?`);
  const { size, count } = sizes.get(part) as { size: number | null; count: number };
  const read = db.prepare(`SELECT bytes FROM ${table} WHERE part = ? AND piece = ?`);
  const whole = create(size ?? 0);
  for (let piece = 0, at = 0; piece < count; piece += 1) {
    const row = read.get(part, piece) as { bytes: Buffer } | undefined;
    if (!row) {
      return null;
    }
    whole.set(row.bytes, at);
    at += row.bytes.length;
    if (piece % piecesAtOnce === piecesAtOnce - 1) {
      await yieldToEventLoop();
    }
  }
  return count === 0 ? null : whole;
}
