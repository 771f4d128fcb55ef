// Where the report of a run goes, found before anything else is: an earlier one must not outlive a run that does not begin.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { type FileLock, lockHolder, takeFileLock } from '#kernel/file-lock.ts';
import { gateEnv } from './config.ts';
import { GateError, readIfRegular } from './private-file.ts';
import { removeEarlierReport } from './report.ts';
import { signaturePathOf } from './signature.ts';

/** File name in the working directory when nothing names another. */
export const defaultReport = gateEnv.shape.MCP_GATE_REPORT_PATH.parse(undefined);

export interface ReportPlace {
  /** Absolute. */
  file: string;
  /** False: the environment file that would say it cannot be read, and this is the default. */
  isKnown: boolean;
}

/** By the option, by the environment file however wrong the rest of it is, by default. */
export function reportPlace(option: string | undefined, envFile: string | undefined): ReportPlace {
  const text = envFile === undefined ? null : readIfRegular(envFile);
  const { MCP_GATE_REPORT_PATH: named, MCP_GATE_REPORT_PATH_FILE: holder } = parseEnv(text ?? '');
  const file = option || named || (holder ? readIfRegular(holder)?.trim() : undefined) || defaultReport;
  return { file: path.resolve(file), isKnown: Boolean(option) || text !== null };
}

/**
 * Removes the report of an earlier run, with its signature, and keeps other runs from the place until it is disposed of.
 * Throws a GateError when another run has it, when it holds something else, or when nothing can be written there.
 */
export function takeReportPlace({ file, isKnown }: ReportPlace): Disposable {
  const lock = isKnown ? lockPlace(file) : null;
  try {
    removeEarlierReport(file);
    rmSync(signaturePathOf(file), { force: true });
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
    const holder = lockHolder(file);
    throw new GateError(
      `another run${holder === null ? '' : ` (process ${holder})`} is about to write ${file}: wait until it has ended`,
    );
  }
  return lock;
}
