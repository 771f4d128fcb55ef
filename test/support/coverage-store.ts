// A database with the store of coverage alone: one subject, what is added to it, and what is asked of it.
import path from 'node:path';
import { coverageQueries } from '#hub/record/coverage/queries.ts';
import { addSpan, ensureSubject, type Span, type StoredSpan } from '#hub/record/coverage/span.ts';
import { Db, type Reader } from '#kernel/sqlite/sqlite.ts';
import { writeNewDatabase } from './new-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const coveredRouter = { kind: 'router', key: 'r1', name: 'Router', cannotSee: [] } as const;

export async function openCoverageStore() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'hub.db');
  writeNewDatabase(file);
  const db = new Db(file);
  const subject = await db.write((writer) => ensureSubject(writer, coveredRouter));
  const reader: Reader = { file: db.file, prepare: (sql) => db.prepare(sql), remembered: never, attached: never };
  return {
    db,
    reader,
    subject,
    add: (span: Span) => db.write((writer) => addSpan(writer, subject, span)),
    spans: () => db.prepare('SELECT * FROM coverage_span ORDER BY since').all() as StoredSpan[],
    of: (from: number, to: number) => coverageQueries.coverageOf(reader, { from, to, now: to, lateMs: 0 }),
    whole: (from: number, to: number, buckets: number) =>
      coverageQueries.coverage(reader, { from, to, buckets, now: to, lateMs: 0, unseen: {} }),
    async [Symbol.asyncDispose]() {
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

function never(): never {
  throw new Error('not asked for');
}
