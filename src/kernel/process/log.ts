// Log lines on stderr through pino: JSON, on a terminal readable text; secrets are removed by name, control characters by JSON itself.
import { destination, type Logger, pino } from 'pino';
import { terminalLine } from '../text/log-line.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretNames = ['pass', 'password', 'enablePass', 'token', 'secret', 'authorization', 'cookie'];

export interface KeptLine {
  at: number;
  level: 'warn' | 'error';
  message: string;
  error: string | null;
}

const keptLines = 200;
/** The numbers that pino uses for its levels. */
const warn = 40;
const error = 50;
const kept = new WeakMap<Log, string[]>();

/** Makes the logger of a program. `silent` writes nothing. The logger keeps the last 200 warnings and errors, whatever the level. */
export function createLog(program: string, level: LogLevel): Log {
  const stderr = destination({ dest: 2, sync: true });
  const lines: string[] = [];
  const written = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const write = (json: string) => {
    const line = Number(/^\{"level":(\d+)/.exec(json)?.[1]);
    if (line >= warn) {
      lines.push(json);
      lines.splice(0, lines.length - keptLines);
    }
    if (line >= written) {
      stderr.write(process.stderr.isTTY ? terminalLine(json) : json);
    }
  };
  const log = pino(
    {
      level: written > warn ? 'warn' : level,
      base: { program },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[removed]' },
    },
    { write },
  );
  kept.set(log, lines);
  return log;
}

/** Returns the last warnings and errors of this logger, the oldest first. */
export function listKeptLines(log: Log): KeptLine[] {
  return (kept.get(log) ?? []).map((json) => {
    const { level, time, msg, err } = JSON.parse(json) as {
      level: number;
      time: number;
      msg?: string;
      err?: { message?: string };
    };
    return { at: time, level: level >= error ? 'error' : 'warn', message: msg ?? '', error: err?.message ?? null };
  });
}
