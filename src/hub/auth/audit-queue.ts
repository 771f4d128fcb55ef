// Security events on their way to the disk. What the database refuses waits, in order, and is written when it can be.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';

export interface AuditQueue<Row> extends AsyncDisposable {
  /** Resolves when the row is on disk, or the database has refused it and it waits for the next try. Never rejects. */
  add(row: Row): Promise<void>;
  /** Tries again now with what waits; resolves as `add` does. */
  settled(): Promise<void>;
}

export interface AuditQueueOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** The statement that is run with each row. */
  insert: string;
}

interface Waiting<Row> {
  row: Row;
  tried: () => void;
}

/**
 * Rows of one moment share a transaction. At most `limits.auditWaiting` wait, tried every `limits.auditRetryMs` and with
 * each new row; rows beyond are lost, and counted in the log. Disposing tries once more.
 */
export function createAuditQueue<Row>({ db, clock, log, insert }: AuditQueueOptions): AuditQueue<Row> {
  const stop = new AbortController();
  let waiting: Waiting<Row>[] = [];
  let writing: Promise<void> | null = null;
  let retrying: Promise<void> | null = null;
  let isRefused = false;
  let lost = 0;

  const lose = (count: number, error?: unknown) => {
    const before = lost;
    lost += count;
    if (before === 0 || Math.floor(before / 1000) < Math.floor(lost / 1000)) {
      log.error({ err: error, lost }, 'security events are lost: they cannot be written, and no more can wait');
    }
  };

  /** Ends when nothing waits or the database refuses. */
  const writeAll = async () => {
    try {
      while (waiting.length > 0) {
        let taken: Waiting<Row>[] = [];
        try {
          await db.write(function* (writer) {
            taken = waiting;
            waiting = [];
            for (const { row } of taken) {
              writer.prepare(insert).run(row);
              yield;
            }
          });
          accepted(taken.length);
        } catch (error) {
          if (error instanceof AppError || taken.length === 0) {
            waiting = [...taken, ...waiting];
            refused(error);
            return;
          }
          lose(taken.length, error);
        }
        taken.forEach(({ tried }) => void tried());
      }
    } finally {
      writing = null;
    }
  };
  const flush = async () => {
    if (waiting.length > 0) {
      writing ??= writeAll();
    }
    await writing;
  };

  const accepted = (written: number) => {
    if (isRefused) {
      log.warn({ written, lost }, 'security events that waited are written');
      isRefused = false;
      lost = 0;
    }
  };
  const refused = (error: unknown) => {
    waiting.forEach(({ tried }) => void tried());
    if (!isRefused) {
      isRefused = true;
      log.error({ err: error, waiting: waiting.length }, 'security events cannot be written: they wait');
    }
    if (!stop.signal.aborted) {
      retrying ??= retry();
    }
  };
  const retry = async () => {
    try {
      while (waiting.length > 0 && !stop.signal.aborted) {
        await clock.sleep(limits.auditRetryMs, stop.signal);
        await flush();
      }
    } catch (error) {
      if (!stop.signal.aborted) {
        throw error;
      }
    } finally {
      retrying = null;
    }
  };

  return {
    add(row) {
      if (waiting.length >= limits.auditWaiting) {
        lose(1);
        return flush();
      }
      const tried = new Promise<void>((resolve) => waiting.push({ row, tried: resolve }));
      void flush();
      return tried;
    },
    settled: flush,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await retrying;
      await flush();
      if (waiting.length > 0) {
        log.error(
          { lost: lost + waiting.length },
          'security events are lost: the program ends, and they cannot be written',
        );
      }
    },
  };
}
