// The only file that opens SQLite: a writer, a reader, migrations, and cooperative writes.
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { stopwatch, yieldToEventLoop } from '../time/clock.ts';
import { type Checkpointer, compactInThread, createCheckpointer } from './checkpoint.ts';
import { applyMigrations } from './migrations.ts';
import { checkpointAtEnd, createLockTaker, lockTryMs, refusedWrite } from './refused-write.ts';

export type Statement = Database.Statement;

/** A long write: it yields between small steps, and the transaction continues in the next turn of the event loop. */
export type WriteSteps<T> = Generator<void, T, void>;

export interface Writer {
  prepare(sql: string): Statement;
}

/** Prepared statements of a read-only connection, for a query. */
export interface Reader {
  /** Path of the database. */
  readonly file: string;
  prepare(sql: string): Statement;
  /** The cached result of `read`, until the file changes. At most 64 short keys are cached. */
  remembered<T>(key: string, read: () => T): T;
  /** State of the caller, made on the first call for `key`. It lives as long as the connection. */
  attached<T>(key: string, make: () => T): T;
}

const sliceMs = 5;
/** Bound of cached statements: filters make many texts of one query. */
const maxStatements = 256;
/** Changed rows after which a checkpoint is requested. */
const checkpointRows = 1000;
/** Pages in the log after which SQLite checkpoints inside COMMIT; its default. */
const autoCheckpointPages = 1000;

/**
 * Holds one SQLite file. Writes are serialised: each runs alone in one `BEGIN IMMEDIATE` transaction, and a
 * generator write yields to the event loop every few milliseconds. Readers see committed data only.
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
    this.#writer.pragma('user_version');
    this.#reader = openReadOnly(file, 8192);
    this.#checkpointer = createCheckpointer(file, () => {
      this.#writer.pragma(`wal_autocheckpoint = ${autoCheckpointPages}`);
    });
  }

  /** A cached read-only statement; it sees committed data. */
  prepare(sql: string): Statement {
    return cached(this.#read, this.#reader, sql);
  }

  /**
   * Runs `work` in one transaction, after all earlier writes. A power failure may undo the newest transactions: for data
   * that is read or computed again. Rolls back and rejects when `work` throws. Rejects with AppError
   * `database_busy` when another program holds the write lock for five seconds, and with `save_failed` when the file
   * cannot be written; then nothing has changed, and the next write may succeed.
   */
  write<T>(work: (writer: Writer) => T | WriteSteps<T>): Promise<T> {
    const waited = stopwatch();
    return this.#queue(() => this.#transaction(work, waited, 'NORMAL'));
  }

  /** As `write`, durable: resolves when the transaction and all earlier ones are synced to the disk. */
  save<T>(work: (writer: Writer) => T | WriteSteps<T>): Promise<T> {
    const waited = stopwatch();
    return this.#queue(() => this.#transaction(work, waited, 'FULL'));
  }

  /**
   * Rewrites the file without what was deleted, in a thread, and empties its write-ahead log. Writes wait meanwhile, and
   * the disk needs room for a second copy.
   */
  compact(): Promise<void> {
    return this.#queue(() => compactInThread(this.file));
  }

  /** For the shutdown: limits the wait for the lock of another program to a second. */
  hurry(): void {
    this.#lock.hurry();
  }

  /** Resolves when all writes so far have ended. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  schemaVersion(): number {
    return Number(this.#reader.pragma('user_version', { simple: true }));
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#checkpointer[Symbol.asyncDispose]();
    this.#reader.close();
    checkpointAtEnd(() => this.#writer.pragma('wal_checkpoint(TRUNCATE)'));
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
      // A long write has thousands of pages to commit, and may start the checkpoint thread.
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

  /** Counts from the last yield of any write: a series of short writes must not block the event loop either. */
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

/** Loads SQLite ahead of the first connection. */
export function loadSqlite(): void {
  new Database(':memory:').close();
}

/** A read-only connection for a thread that answers queries, with a page cache of `cacheKb`. */
export class ReadConnection implements Reader {
  readonly file: string;
  #db: Database.Database;
  #prepared = new Map<string, Statement>();
  #remembered = new Map<string, unknown>();
  #attached = new Map<string, unknown>();
  #version = -1;

  constructor(file: string, cacheKb: number) {
    this.file = file;
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

  /** Begins a snapshot: until `end`, all reads see the file as of the first one. */
  begin(): void {
    this.#db.exec('BEGIN');
  }

  /** Ends the snapshot; a rollback also works after a damaged page, where COMMIT fails. */
  end(): void {
    if (this.#db.inTransaction) {
      this.#db.exec('ROLLBACK');
    }
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Brings `file` to the newest migration of `folder` (`NNN-name.sql`), each in a transaction; returns the new version. A
 * new file is readable by its owner alone, and so are the log and index that SQLite has next to it. Foreign keys are
 * checked at the end, so that a step may rebuild a table (https://sqlite.org/lang_altertable.html, section 7).
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
  const pragmas = ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON', 'temp_store = MEMORY'];
  return withPragmas(new Database(file), [...pragmas, 'cache_size = -16384']);
}

/** A damaged database refuses them: it is closed then, for whoever replaces the file waits until nobody has it open. */
function withPragmas(db: Database.Database, pragmas: readonly string[]): Database.Database {
  try {
    for (const pragma of pragmas) {
      db.pragma(pragma);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function openReadOnly(file: string, cacheKb: number): Database.Database {
  const pragmas = ['temp_store = MEMORY', `cache_size = -${cacheKb}`, 'query_only = ON'];
  return withPragmas(new Database(file, { readonly: true }), pragmas);
}
