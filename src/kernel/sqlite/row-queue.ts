// The write queue of an audit trail: rows that the database refuses wait in order until it accepts them.
import { AppError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { type Clock, elapsed, yieldToEventLoop } from '../time/clock.ts';
import { startWorkLoop } from '../time/work-loop.ts';
import type { Db } from './sqlite.ts';

export interface RowQueue<Row> extends AsyncDisposable {
  /** Resolves when the row is on disk, or the database has refused it and it waits for the next try. Never rejects. */
  add(row: Row): Promise<void>;
  /** Retries the waiting rows now; resolves as `add` does. */
  settled(): Promise<void>;
  /** Milliseconds since the oldest row was added that is not on disk, lost ones too; 0 once a later row is. */
  behindMs(): number;
  /** Whether a row added now would be lost. */
  isFull(): boolean;
}

export interface RowQueueOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** The name of the rows, in the plural, for the log. */
  what: string;
  insert: string;
  /** Maximum number of waiting rows, and the interval of retries. */
  most: number;
  retryMs: number;
  /** Lost rows from one line of the log to the next. */
  reportEvery: number;
}

interface Waiting<Row> {
  row: Row;
  addedAt: number;
  tried: () => void;
}

/**
 * Rows of one turn of the event loop share a transaction. At most `most` rows wait, retried every
 * `retryMs` and with each new row; rows beyond, and rows that the table rejects, are lost and counted in the log.
 * Disposal retries once; a row that is added later is tried once.
 */
export function createRowQueue<Row>({ db, clock, log, insert, ...options }: RowQueueOptions): RowQueue<Row> {
  const { what, most, retryMs, reportEvery } = options;
  let waiting: Waiting<Row>[] = [];
  let isWriting = false;
  let hasEnded = false;
  let isRefused = false;
  let lost = 0;
  let behindSince: number | null = null;

  const lose = (count: number, error?: unknown) => {
    lost += count;
    if (isReportDue(lost - count, lost, reportEvery)) {
      log.error({ err: error, lost }, `${what} are lost: they cannot be written`);
    }
  };

  /** Writes until nothing waits or the database refuses. Resolves to the time until the next try, null for none. */
  const writeAll = async () => {
    isWriting = true;
    try {
      await yieldToEventLoop();
      while (waiting.length > 0) {
        let taken: Waiting<Row>[] = [];
        try {
          await writeRows(db, insert, () => {
            taken = waiting;
            waiting = [];
            return taken;
          });
          accepted(taken.length);
        } catch (error) {
          if (error instanceof AppError || taken.length === 0) {
            waiting = [...taken, ...waiting];
            refused(error);
            return retryMs;
          }
          lose(taken.length, error);
        }
        resolveTried(taken);
      }
      return null;
    } finally {
      isWriting = false;
    }
  };
  const loop = startWorkLoop({
    clock,
    firstRestMs: null,
    step: writeAll,
    failed(error) {
      log.error({ err: error }, `${what} cannot be written; they are tried again`);
      return retryMs;
    },
  });
  const flush = async () => {
    if (hasEnded) {
      await writeAll();
    } else if (waiting.length > 0 && !isWriting) {
      // A try that is running takes new rows too. A wake would repeat it at once when the database refuses, and the loop
      // would not settle while rows keep coming.
      loop.wake();
    }
    await loop.settled();
  };

  const accepted = (written: number) => {
    behindSince = waiting[0]?.addedAt ?? null;
    if (isRefused || lost > 0) {
      log.warn({ written, lost }, `${what} that waited are written`);
      isRefused = false;
      lost = 0;
    }
  };
  const refused = (error: unknown) => {
    resolveTried(waiting);
    if (!isRefused) {
      isRefused = true;
      log.error({ err: error, waiting: waiting.length }, `${what} cannot be written: they wait`);
    }
  };

  return {
    add(row) {
      behindSince ??= clock.now();
      if (waiting.length >= most) {
        lose(1);
        return flush();
      }
      const tried = new Promise<void>((resolve) => waiting.push({ row, addedAt: clock.now(), tried: resolve }));
      void flush();
      return tried;
    },
    settled: flush,
    behindMs: () => (behindSince === null ? 0 : elapsed(behindSince, clock.now())),
    isFull: () => waiting.length >= most,
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      // A request that was cut off may add a row later: without the loop, its row is written directly.
      hasEnded = true;
      await flush();
      if (waiting.length > 0) {
        log.error({ lost: lost + waiting.length }, `${what} are lost: the program ends, and they cannot be written`);
      }
    },
  };
}

/** Writes in one transaction the rows that `take` returns when the transaction begins. */
function writeRows<Row>(db: Db, insert: string, take: () => readonly Waiting<Row>[]): Promise<void> {
  return db.write(function* (writer) {
    for (const { row } of take()) {
      writer.prepare(insert).run(row);
      yield;
    }
  });
}

function resolveTried(rows: readonly Waiting<unknown>[]): void {
  for (const { tried } of rows) {
    tried();
  }
}

/** Whether `count`, which was `before`, is to be reported: the first time, then once for each `every`. */
function isReportDue(before: number, count: number, every: number): boolean {
  return before === 0 || Math.floor(before / every) < Math.floor(count / every);
}
