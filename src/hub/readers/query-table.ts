// What the reader threads run: named functions of a read-only connection and plain parameters.
import type { Reader } from '#kernel/sqlite.ts';

/** Parameters and result must survive a structured clone and JSON. A generator's texts are a stream, in order. */
export type Query = (reader: Reader, params: never) => unknown;

/** Texts that one after the other are the JSON of a `B`: an answer too large to be whole in memory. */
export interface Chunks<B> extends Generator<string, void, void> {
  /** Never set: it carries the type. */
  shape?: B;
}

/** The `queries` that the module of a pool's threads exports. */
export type QueryTable = Readonly<Record<string, Query>>;

/** A query that every thread has: it shows that the thread runs and that the file can be read. */
export const checkQuery = 'check';

/** What a thread is started with. */
export interface ThreadStart {
  /** The database file. */
  file: string;
  /** URL of a module that exports `queries`. */
  module: string;
  cacheKb: number;
}

export type ToThread = { run: string; params: unknown; isGzipped: boolean } | { go: 'on' | 'off' } | 'stop';

/** `bytes` of one answer, of the gzip of one, or of one chunk; `done` with the last message of a query. */
export type FromThread =
  /** The first message: its program is loaded, and SQLite. */
  | { loaded: true }
  | { bytes: Uint8Array<ArrayBuffer>; done: boolean }
  | { done: true }
  | {
      failed: {
        /** Of an AppError; absent for anything else. */
        code?: string;
        /** Of an error of SQLite, such as SQLITE_CORRUPT. */
        sqliteCode?: string;
        message: string;
        stack?: string | undefined;
      };
    };
