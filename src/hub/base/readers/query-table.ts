// The queries of reader threads: named functions of a read-only connection and plain parameters.
import type { Reader } from '#kernel/sqlite/sqlite.ts';

/** Parameters must survive a structured clone, results JSON. A generator streams its texts in order. */
export type Query = (reader: Reader, params: never) => unknown;

/** A part of an answer: text, or bytes in a buffer of their own, which is handed over. */
export type Chunk = string | Uint8Array<ArrayBuffer>;

/** Chunks that together are the JSON of a `B`: an answer too large for memory. */
export interface Chunks<B> extends Generator<Chunk, void, void> {
  /** Never set: it carries the type. */
  shape?: B;
}

/** The export `queries` of the module that the threads of a pool load. */
export type QueryTable = Readonly<Record<string, Query>>;

/** A query of every thread: it shows that the thread runs and the file is readable. */
export const checkQuery = 'check';

export interface ThreadStart {
  file: string;
  /** URL of a module that exports `queries`. */
  module: string;
  cacheKb: number;
}

export type ToThread = { run: string; params: unknown; isGzipped: boolean } | { go: 'on' | 'off' } | 'stop';

/** `bytes` of an answer, plain or gzip, or of a chunk; `done` with the last message of a query. */
export type FromThread =
  /** The first message: program and SQLite are loaded. */
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
