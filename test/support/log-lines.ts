// A real log whose lines a test reads.
import { pino } from 'pino';
import type { Log, LogLevel } from '#kernel/process/log.ts';

export interface LogLine {
  msg: string;
  /** As pino writes an error. */
  err?: { type: string; message: string; code?: string };
}

/** Everything from `level` on, as it is written; `lines` grows. */
export function collectLog(level: LogLevel): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { log: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }), lines };
}
