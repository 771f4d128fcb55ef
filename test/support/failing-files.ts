// A disk that fails at one call of this process, once or from then on: what the product does with files by name is counted,
// and the call with the given number throws what the system would say.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

export type DiskError = 'EIO' | 'ENOSPC' | 'EACCES' | 'EMFILE';

export interface Failure {
  /** The call that fails, from 1. */
  at: number;
  error: DiskError;
  /** How many calls fail; without an end it is a disk that is gone, and leaves what a kill at this call would leave. */
  count: number;
}

export interface FailingFiles extends Disposable {
  /** The calls so far, as `rename monitor.db`. */
  readonly calls: readonly string[];
}

/** Calls that change files, and fsync. */
const changing = ['renameSync', 'rmSync', 'openSync', 'writeSync', 'fsyncSync'] as const;
const reading = ['readFileSync', 'readdirSync', 'statSync'] as const;

/**
 * Until it is disposed, calls on files in `folder` are counted, and fail as `failure` says; null: none fails. Calls that
 * only read are left alone unless `also` names them.
 */
export function failFiles(folder: string, failure: Failure | null, also?: 'reading'): FailingFiles {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const counted = [...changing, ...(also === 'reading' ? reading : [])];
  const real = Object.fromEntries(counted.map((name) => [name, fs[name] as (...args: unknown[]) => unknown]));
  const put = (functions: Record<string, unknown>) => {
    Object.assign(fs, functions);
    // Modules that import them by name see the change too.
    syncBuiltinESMExports();
  };
  const fails = (call: string) => {
    calls.push(call);
    return failure !== null && calls.length >= failure.at && calls.length < failure.at + failure.count;
  };
  const failing =
    (name: string) =>
    (...args: [unknown, ...unknown[]]) => {
      const file = typeof args[0] === 'number' ? names.get(args[0]) : String(args[0]);
      const isReading = also !== 'reading' && name === 'openSync' && (args[1] ?? 'r') === 'r';
      if (file?.startsWith(folder) && !isReading && fails(`${name.replace('Sync', '')} ${path.basename(file)}`)) {
        const error = failure?.error;
        const syscall = name.replace('Sync', '');
        throw Object.assign(new Error(`${error}: made up, ${name} '${file}'`), { code: error, syscall });
      }
      const result = real[name]?.(...args);
      if (name === 'openSync') {
        names.set(result as number, String(args[0]));
      }
      return result;
    };
  put(Object.fromEntries(counted.map((name) => [name, failing(name)])));
  return { calls, [Symbol.dispose]: () => put(real) };
}
