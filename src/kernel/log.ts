// JSON lines on stderr through pino; secrets are removed by name, control characters by JSON itself.
import { destination, type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretNames = ['pass', 'password', 'enablePass', 'token', 'secret', 'authorization', 'cookie'];

/** A logger of one program. `silent` writes nothing. */
export function createLog(program: string, level: LogLevel): Log {
  return pino(
    {
      level,
      base: { program },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[removed]' },
    },
    destination({ dest: 2, sync: true }),
  );
}
