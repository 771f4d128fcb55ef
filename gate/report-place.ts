// Finds, clears and locks the path of the report before anything else, so that an earlier report does not survive a run
// that fails to start.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { type FileLock, findLockHolder, takeFileLock } from '#kernel/files/file-lock.ts';
import { gateEnv } from './config.ts';
import { GateError, readIfRegular } from './private-file.ts';
import { removeEarlierReport } from './report.ts';
import { toSignaturePath } from './signature.ts';

/** Default file name, in the working directory. */
export const defaultReport = gateEnv.shape.MCP_GATE_REPORT_PATH.parse(undefined);

export interface ReportPlace {
  /** Absolute. */
  file: string;
  /** False when the environment file cannot be read and this is the default. */
  isKnown: boolean;
}

/** From the option, from the environment file (even when the rest of it is invalid), or the default. */
export function reportPlace(option: string | undefined, envFile: string | undefined): ReportPlace {
  const text = envFile === undefined ? null : readIfRegular(envFile);
  const { MCP_GATE_REPORT_PATH: named, MCP_GATE_REPORT_PATH_FILE: holder } = parseEnv(text ?? '');
  const file = option || named || (holder ? readIfRegular(holder)?.trim() : undefined) || defaultReport;
  return { file: path.resolve(file), isKnown: Boolean(option) || text !== null };
}

/**
 * Removes the report of an earlier run and its signature, and locks the path until disposed. Throws a GateError when
 * another run holds the lock, when the file is not a report, or when it cannot be written.
 */
export function takeReportPlace({ file, isKnown }: ReportPlace): Disposable {
  const lock = isKnown ? lockPlace(file) : null;
  try {
    removeEarlierReport(file);
    rmSync(toSignaturePath(file), { force: true });
    return { [Symbol.dispose]: () => lock?.[Symbol.dispose]() };
  } catch (error) {
    lock?.[Symbol.dispose]();
    throw error instanceof GateError
      ? error
      : new GateError(`${file} is of an earlier run and cannot be removed (${messageOf(error)}): remove it by hand`, {
          cause: error,
        });
  }
}

function lockPlace(file: string): FileLock {
  let lock: FileLock | null;
  try {
    lock = takeFileLock(file);
  } catch (cause) {
    throw new GateError(`${file} cannot be written: does its folder exist, and may you write to it?`, { cause });
  }
  if (lock === null) {
    const holder = findLockHolder(file);
    throw new GateError(
      `another run${holder === null ? '' : ` (process ${holder})`} is about to write ${file}: wait until it has ended`,
    );
  }
  return lock;
}
