// The one file that opens SQLite: a writer, a reader, migrations, and writes that give the event loop its turns.
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Checkpointer, createCheckpointer } from './checkpoint.ts';
import { stopwatch, yieldToEventLoop } from './clock.ts';
import { applyMigrations } from './migrations.ts';
import { checkpointIfPossible, createLockTaker, lockTryMs, refusedWrite } from './refused-write.ts';

export type Row = Record<string, unknown>;
export type Statement = Database.Statement;

/** A write that may take long: it yields between small pieces of work, and the transaction goes on in the next turn. */
export type WriteSteps<T> = Generator<void, T, void>;

/** What a write is given: prepared statements of the writer. */
export interface Writer {
  prepare(sql: string): Statement;
}

/** What a query is given: prepared statements of a read-only connection. */
export interface Reader {
  prepare(sql: string): Statement;
  /** The cached result of `read`, until the file changes. At most 64 short keys are cached. */
  remembered<T>(key: string, read: () => T): T;
  /** State of the caller, made on the first call for `key`. It lives as long as the connection. */
  attached<T>(key: string, make: () => T): T;
}

const sliceMs = 8;
/** Filters make many texts of one query: what is kept prepared has a bound. */
const maxStatements = 256;
/** Rows changed after which the write-ahead log is carried over into the file. */
const checkpointRows = 1000;
/** Pages in the log after which SQLite itself would do so inside COMMIT; its own default. */
const autoCheckpointPages = 1000;

/**
 * Holds one SQLite file. Writes are serialised: each runs alone in one `BEGIN IMMEDIATE` transaction, and a
 * generator write hands the event loop back every few milliseconds. Readers see committed data only.
 */
export class Db {
  readonly file: string;
  #writer: Database.Database;
  #reader: Database.Database;
  #prepared = new Map<string, Statement>();
  #read = new Map<string, Statement>();
  #tail: Promise<unknown> = Promise.resolve();
  #checkpointer: Checkpointer;
  #checkpointedAt = 0;
  #sinceTurn = stopwatch();
  #lock = createLockTaker(() => this.#writer.exec('BEGIN IMMEDIATE'));

  constructor(file: string) {
    this.file = file;
    this.#writer = openWriter(file);
    this.#writer.pragma('wal_autocheckpoint = 0');
    this.#writer.pragma(`busy_timeout = ${lockTryMs}`);
    this.#reader = openReader(file, this.#writer);
    this.#checkpointer = createCheckpointer(file, () => {
      this.#writer.pragma(`wal_autocheckpoint = ${autoCheckpointPages}`);
    });
  }

  /** A cached read-only statement; it sees what was committed. */
  prepare(sql: string): Statement {
    return cached(this.#read, this.#reader, sql);
  }

  /**
   * Runs `work` in one transaction, after every write asked for before it. A power cut may undo the newest writes, whole
   * ones only: for what is read or computed again. Rolls back and rejects when it throws. Rejects with AppError
   * `database_busy` when another program holds the write lock for five seconds, and with `save_failed` when the file
   * cannot be written; then nothing has changed, and the next write may succeed.
   */
  write<T>(work: (writer: Writer) => T | WriteSteps<T>): Promise<T> {
    const waited = stopwatch();
    return this.#queue(() => this.#transaction(work, waited, 'NORMAL'));
  }

  /** As `write`, for what a caller is told is saved: resolves when it is on the disk, with all that was written before it. */
  save<T>(work: (writer: Writer) => T | WriteSteps<T>): Promise<T> {
    const waited = stopwatch();
    return this.#queue(() => this.#transaction(work, waited, 'FULL'));
  }

  /** For a program that ends: a write waits a second at most for another program's lock. */
  hurry(): void {
    this.#lock.hurry();
  }

  /** Resolves when every write asked for so far has ended. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /** The migration number the file is at. */
  schemaVersion(): number {
    return Number(this.#reader.pragma('user_version', { simple: true }));
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#checkpointer[Symbol.asyncDispose]();
    this.#reader.close();
    checkpointIfPossible(() => this.#writer.pragma('wal_checkpoint(TRUNCATE)'));
    this.#writer.close();
  }

  #queue<T>(transaction: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(transaction);
    this.#tail = run.catch(() => undefined);
    return run;
  }

  /** `sync`: FULL syncs the write-ahead log in COMMIT (https://sqlite.org/pragma.html#pragma_synchronous). */
  async #transaction<T>(
    work: (writer: Writer) => T | WriteSteps<T>,
    waited: () => number,
    sync: 'NORMAL' | 'FULL',
  ): Promise<T> {
    const writer: Writer = { prepare: (sql) => cached(this.#prepared, this.#writer, sql) };
    try {
      this.#writer.pragma(`synchronous = ${sync}`);
      await this.#lock.take(waited);
      const outcome = work(writer);
      const { value, isLong } = isSteps(outcome) ? await this.#inTurns(outcome) : { value: outcome, isLong: false };
      // A long write has thousands of pages to commit, and may start a thread that carries them over.
      if (isLong) {
        await this.#turn();
      }
      this.#writer.exec('COMMIT');
      if (isLong) {
        await this.#turn();
      }
      this.#checkpointWhenDue(writer);
      return value;
    } catch (error) {
      if (this.#writer.inTransaction) {
        this.#writer.exec('ROLLBACK');
      }
      throw refusedWrite(this.file, error);
    }
  }

  /** Counts from the last turn, whichever write took it: short writes in a row must not hold the event loop either. */
  async #inTurns<T>(steps: WriteSteps<T>): Promise<{ value: T; isLong: boolean }> {
    for (let turns = 0; ; ) {
      const step = steps.next();
      if (step.done) {
        return { value: step.value, isLong: turns > 0 };
      }
      if (this.#sinceTurn() > sliceMs) {
        await this.#turn();
        turns += 1;
      }
    }
  }

  async #turn(): Promise<void> {
    await yieldToEventLoop();
    this.#sinceTurn = stopwatch();
  }

  #checkpointWhenDue(writer: Writer): void {
    const { changed } = writer.prepare('SELECT total_changes() AS changed').get() as { changed: number };
    if (changed - this.#checkpointedAt >= checkpointRows) {
      this.#checkpointedAt = changed;
      this.#checkpointer.ask();
    }
  }
}

const maxRemembered = 64;

/** Loads SQLite, which otherwise happens with the first connection. */
export function loadSqlite(): void {
  new Database(':memory:').close();
}

/** A read-only connection of its own, for a thread that answers queries; `cacheKb` of pages are kept in memory. */
export class ReadConnection implements Reader {
  #db: Database.Database;
  #prepared = new Map<string, Statement>();
  #remembered = new Map<string, unknown>();
  #attached = new Map<string, unknown>();
  #version = -1;

  constructor(file: string, cacheKb: number) {
    this.#db = openReadOnly(file, cacheKb);
  }

  prepare(sql: string): Statement {
    return cached(this.#prepared, this.#db, sql);
  }

  remembered<T>(key: string, read: () => T): T {
    const version = Number(this.#db.pragma('data_version', { simple: true }));
    if (version !== this.#version || this.#remembered.size >= maxRemembered) {
      this.#remembered.clear();
      this.#version = version;
    }
    if (!this.#remembered.has(key)) {
      this.#remembered.set(key, read());
    }
    return this.#remembered.get(key) as T;
  }

  attached<T>(key: string, make: () => T): T {
    if (!this.#attached.has(key)) {
      this.#attached.set(key, make());
    }
    return this.#attached.get(key) as T;
  }

  /** Until `end`, every read sees the file as it is at the first of them. */
  begin(): void {
    this.#db.exec('BEGIN');
  }

  /** Nothing was written: a rollback ends the snapshot also after a damaged page was met, where COMMIT fails. */
  end(): void {
    if (this.#db.inTransaction) {
      this.#db.exec('ROLLBACK');
    }
  }

  close(): void {
    this.#db.close();
  }
}

/** A connection that only carries the write-ahead log over into `file`; for a thread of its own. */
export function openCheckpoint(file: string): { run(): void; close(): void } {
  const db = new Database(file, { fileMustExist: true });
  return {
    run: () => checkpointIfPossible(() => db.pragma('wal_checkpoint(PASSIVE)')),
    close: () => db.close(),
  };
}

/**
 * Brings `file` to the newest migration of `folder` (`NNN-name.sql`), each in a transaction; returns the new version. A
 * new file is readable by its owner alone, and so are the log and index that SQLite keeps beside it. Foreign keys are
 * checked at the end of all, so that a step may write a table anew (https://sqlite.org/lang_altertable.html, section 7).
 * Throws what `Db.write` rejects with when the file is locked or cannot be written.
 */
export function migrate(file: string, folder: string): number {
  closeSync(openSync(file, 'a', 0o600));
  try {
    const db = openWriter(file);
    try {
      return applyMigrations(db, folder);
    } finally {
      db.close();
    }
  } catch (error) {
    throw refusedWrite(file, error);
  }
}

function isSteps<T>(outcome: T | WriteSteps<T>): outcome is WriteSteps<T> {
  return typeof outcome === 'object' && outcome !== null && Symbol.iterator in outcome && 'next' in outcome;
}

function cached(statements: Map<string, Statement>, db: Database.Database, sql: string): Statement {
  let statement = statements.get(sql);
  if (!statement) {
    statement = db.prepare(sql);
    const [oldest] = statements.keys();
    if (statements.size >= maxStatements && oldest !== undefined) {
      statements.delete(oldest);
    }
    statements.set(sql, statement);
  }
  return statement;
}

function openWriter(file: string): Database.Database {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -16384');
  return db;
}

function openReader(file: string, writer: Database.Database): Database.Database {
  writer.pragma('user_version');
  return openReadOnly(file, 8192);
}

function openReadOnly(file: string, cacheKb: number): Database.Database {
  const db = new Database(file, { readonly: true });
  db.pragma('temp_store = MEMORY');
  db.pragma(`cache_size = -${cacheKb}`);
  db.pragma('query_only = ON');
  return db;
}
