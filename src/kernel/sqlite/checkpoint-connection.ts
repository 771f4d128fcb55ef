// A connection that copies the write-ahead log into the database, or compacts the database. It blocks: it is for a thread of its own.
import Database from 'better-sqlite3';
import { checkpointIfPossible } from './refused-write.ts';

export interface CheckpointConnection {
  /** Copies the part of the log that no reader needs. What the disk refuses stays in the log for the next time. */
  run(): void;
  /** Rewrites the file without what was deleted, and empties the log. Throws what SQLite says, such as that the disk is full. */
  compact(): void;
  close(): void;
}

/** Opens `file`, which must be there. */
export function openCheckpoint(file: string): CheckpointConnection {
  const db = new Database(file, { fileMustExist: true });
  return {
    run: () => checkpointIfPossible(() => db.pragma('wal_checkpoint(PASSIVE)')),
    compact() {
      db.exec('VACUUM');
      db.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: () => db.close(),
  };
}
