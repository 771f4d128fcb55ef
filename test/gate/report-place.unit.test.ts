// The place of a report: what stands in the way is said, and another run may have the place afterwards.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { GateError } from '#gate/private-file.ts';
import { takeReportPlace } from '#gate/report-place.ts';
import { writeText } from '#kernel/files/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { passingReport } from './passing-report.ts';

function refusalOf(file: string): unknown {
  try {
    takeReportPlace({ file, isKnown: true })[Symbol.dispose]();
  } catch (error) {
    return error;
  }
  throw new Error('the place was taken');
}

test('a folder that is not there: the reason goes with the error', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'reports/report.json');
  expect(refusalOf(file)).toMatchObject({
    constructor: GateError,
    message: `${file} cannot be written: does its folder exist, and may you write to it?`,
    cause: { code: 'ENOENT' },
  });
});

test('a folder where the report is due is not taken for other notes, and stays', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'report.json');
  mkdirSync(file);
  for (let turn = 0; turn < 2; turn += 1) {
    expect(refusalOf(file)).toMatchObject({
      constructor: GateError,
      message: expect.stringMatching(/is of an earlier run and cannot be removed \(.*EISDIR.*\): remove it by hand$/),
      cause: { code: 'EISDIR' },
    });
  }
  expect(existsSync(file)).toBe(true);
});

test('a place is one run’s until it is disposed of, or was not taken', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'report.json');
  writeText(file, 'my notes');
  expect(refusalOf(file)).toMatchObject({ message: expect.stringContaining('is no report of this gate') });
  writeText(file, passingReport());
  writeText(`${file}.dsse.json`, '{}');
  {
    using _place = takeReportPlace({ file, isKnown: true });
    expect([file, `${file}.dsse.json`].map((one) => existsSync(one))).toEqual([false, false]);
    expect(refusalOf(file)).toMatchObject({
      message: `another run (process ${process.pid}) is about to write ${file}: wait until it has ended`,
    });
  }
  takeReportPlace({ file, isKnown: true })[Symbol.dispose]();
});
