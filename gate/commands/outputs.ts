// Where the formats of a run go: one to stdout, the others to files.
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { isThere, overwriteText } from '#kernel/files/files.ts';
import { formats, type ReportFormat } from '../formats/formats.ts';
import { GateError, readPublicFile } from '../private-file.ts';
import type { Report } from '../report.ts';
import { toSignaturePath } from '../signature.ts';
import { UsageError } from './command.ts';

export interface Output extends ReportFormat {
  /** As given on the command line. Undefined: stdout. */
  file: string | undefined;
}

/**
 * Parses the values of `--format`, `NAME` or `NAME=FILE`. The table goes to stdout when no other format does. Throws a
 * UsageError, also for a file that the report needs. `reportPath` is absolute.
 */
export function parseOutputs(options: readonly string[], reportPath: string): Output[] {
  const outputs = options.map((option) => {
    const [, name = '', file] = /^([^=]*)(?:=(.*))?$/s.exec(option) ?? [];
    const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
    if (!format) {
      throw new UsageError(`--format must be ${Object.keys(formats).join(', ')}, not ${JSON.stringify(name)}`);
    }
    if (file === '') {
      throw new UsageError(`--format ${name}= lacks the name of a file`);
    }
    if (file !== undefined && format.head === null) {
      throw new UsageError(
        `--format ${name} goes to stdout only: leave out "=${file}"; --report names the file of the report`,
      );
    }
    return { ...format, file };
  });
  const onStdout = outputs.filter(({ file }) => file === undefined);
  if (onStdout.length > 1) {
    throw new UsageError('only one --format can go to stdout: give the others a file, such as --format junit=gate.xml');
  }
  const files = [
    ...[reportPath, toSignaturePath(reportPath), `${reportPath}.lock`],
    ...outputs.flatMap(({ file }) => (file === undefined ? [] : [path.resolve(file)])),
  ];
  if (new Set(files).size < files.length) {
    throw new UsageError('each --format needs a file of its own: not the report, its signature or its lock');
  }
  const { table } = formats;
  return table && onStdout.length === 0 ? [...outputs, { ...table, file: undefined }] : outputs;
}

/**
 * Empties the files, so that what an earlier run wrote does not survive a run that fails to start. Throws a GateError,
 * before it changes anything, when one is something else than an earlier output.
 */
export function clearOutputs(outputs: readonly Output[]): void {
  const files = outputs.flatMap(({ file, head }) => (file === undefined ? [] : [{ file, head: head ?? '' }]));
  for (const { file, head } of files) {
    const text = isThere(file) ? readPublicFile(file, 'the output') : '';
    if (text !== '' && !text.startsWith(head)) {
      throw new GateError(`${file} is there and is no output of this gate in that format: name another file`);
    }
  }
  for (const { file } of files) {
    try {
      overwriteText(file, '');
    } catch (cause) {
      throw new GateError(
        `${file} cannot be written (${messageOf(cause)}): does its folder exist, and may you write to it?`,
        {
          cause,
        },
      );
    }
  }
}

/** Writes each output of `report` to its file, whose mode and owner stay, or to stdout. */
export function writeOutputs(outputs: readonly Output[], report: Report, reportPath: string): void {
  for (const { file, format } of outputs) {
    const text = format(report, reportPath);
    if (file === undefined) {
      process.stdout.write(text);
    } else {
      overwriteText(file, text);
    }
  }
}
