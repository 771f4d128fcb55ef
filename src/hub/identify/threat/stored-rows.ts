// The rows of a stored document; parsed again from its text when other parsers made them.

import type { Base } from '../../base/feature.ts';
import { type DocumentName, feedDocuments } from './feed-documents.ts';
import { type DocumentRecord, nothingStored, readRows, readText, saveRecord } from './store.ts';
import type { DocumentRows } from './tables/rows.ts';
import type { FeedThread } from './thread.ts';

export interface StoredRowsOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  thread: FeedThread;
  /** Version of the parsers: rows of another one are rebuilt. */
  readBy: string;
}

export interface StoredRows {
  /** Null when no usable document is stored: `record` then says that it is to be fetched again. */
  rows: DocumentRows | null;
  record: DocumentRecord;
}

export async function loadStoredRows(
  part: DocumentName,
  record: DocumentRecord,
  options: StoredRowsOptions,
): Promise<StoredRows> {
  const { db, clock, log, thread, readBy } = options;
  if (record.fetchedAt === null) {
    return { rows: null, record };
  }
  const rows = record.readBy === readBy ? await readRows(db, part) : null;
  if (rows) {
    return { rows, record };
  }
  const packed = await readText(db, part);
  const read = packed ? await thread.run('read', { part, packed }, packed.buffer) : { problem: 'it is not whole' };
  if ('rows' in read) {
    const readAgain = { ...record, readBy };
    await saveRecord(db, part, readAgain, read);
    return { rows: read.rows, record: readAgain };
  }
  log.warn({ part, problem: read.problem }, 'a stored threat feed cannot be read: it is fetched again');
  const nextAt = Math.max(clock.now(), (record.attemptedAt ?? 0) + feedDocuments[part].floorMs);
  const forgotten = { ...record, ...nothingStored, nextAt };
  await saveRecord(db, part, forgotten);
  return { rows: null, record: forgotten };
}
