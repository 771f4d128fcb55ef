// Log lines on stderr through pino: JSON, on a terminal readable text; secrets are removed by name, control characters by JSON itself.
import { destination, type Logger, pino } from 'pino';
import { terminalLine } from '../text/log-line.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretNames = ['pass', 'password', 'enablePass', 'token', 'secret', 'authorization', 'cookie'];

/** A logger of one program. `silent` writes nothing. */
export function createLog(program: string, level: LogLevel): Log {
  const stderr = destination({ dest: 2, sync: true });
  const onTerminal = { write: (json: string) => void stderr.write(terminalLine(json)) };
  return pino(
    {
      level,
      base: { program },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[removed]' },
    },
    process.stderr.isTTY ? onTerminal : stderr,
  );
}
