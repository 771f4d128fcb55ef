// The sentences of a run of the tests.
import { describe, expect, test } from 'vitest';
import {
  citationsNotRun,
  endLine,
  type FileEnd,
  filtersWithoutTests,
  progressLine,
  skippedTests,
  type TestEnd,
} from './support/run-report.ts';

const file = 'test/x.test.ts';
const cited = [
  { id: 'rest.a.b', where: `${file}:3` },
  { id: 'rest.a.c', where: `${file}:9` },
];
const ended = (over: Partial<TestEnd>): TestEnd => ({
  file,
  name: 'does it',
  cites: ['rest.a.b', 'rest.a.c'],
  state: 'passed',
  note: undefined,
  ...over,
});
const files = (tests: TestEnd[], failed = false): FileEnd[] => [{ file, failed, tests }];

describe('citations that did not run', () => {
  test('none when each was run, also by a row of a table', () => {
    const tests = [
      ended({ cites: ['rest.a.b'] }),
      ended({ cites: ['rest.a.c'] }),
      ended({ cites: [], state: 'skipped' }),
    ];
    expect(citationsNotRun(cited, files(tests))).toEqual([]);
  });

  test('a file that did not run', () => {
    expect(citationsNotRun(cited, [])).toEqual(['test/x.test.ts did not run, it cites rest.a.b, rest.a.c']);
  });

  test('one of two tests of the same requirement was skipped', () => {
    const tests = [ended({}), ended({ state: 'skipped', note: 'not today' })];
    expect(citationsNotRun(cited, files(tests))).toEqual(['test/x.test.ts: "does it" did not run (not today)']);
  });

  test('a test that was not collected', () => {
    expect(citationsNotRun(cited, files([ended({ cites: ['rest.a.b'] })]))).toEqual([
      'test/x.test.ts cites rest.a.c in a test that was not collected',
    ]);
  });

  test('a missing program is no fault, a second skip in its file is', () => {
    const program = ended({
      cites: [],
      state: 'skipped',
      note: 'nginx not installed (REQUIRE_REAL=1 makes this a failure)',
    });
    expect(citationsNotRun(cited, files([program]))).toEqual([]);
    expect(citationsNotRun(cited, files([program, ended({ state: 'skipped' })]))).toHaveLength(1);
    expect(skippedTests(files([program]), true)).toEqual([
      'skipped: test/x.test.ts: does it (nginx not installed (REQUIRE_REAL=1 makes this a failure))',
    ]);
  });

  test('a skip without a reason is printed when all tests were asked for, and their file did not fail', () => {
    const skipped = [ended({ state: 'skipped' })];
    expect(skippedTests(files(skipped), false)).toEqual(['skipped: test/x.test.ts: does it (no reason given)']);
    expect(skippedTests(files(skipped), true)).toEqual([]);
    expect(skippedTests(files(skipped, true), false)).toEqual([]);
  });

  test('a file that failed is red already', () => {
    expect(citationsNotRun(cited, files([ended({ state: 'skipped' })], true))).toEqual([]);
  });
});

test('progress: what is done, what is running, the longest first', () => {
  const underWay = [
    { file: 'test/a.test.ts', sinceMs: 4000 },
    { file: 'test/b.test.ts', sinceMs: 71_400 },
  ];
  expect(progressLine(96, 1224, underWay, 90_000)).toBe(
    '… 96 of 1,224 test files done after 1 min 30 s; running: test/b.test.ts (1 min 11 s), test/a.test.ts (4 s)',
  );
});

describe('the last line', () => {
  const run = {
    command: 'npm test',
    files: [{ file: 'test/x.test.ts', failed: false, tests: Array.from({ length: 3367 }, () => ended({})) }],
    errors: 0,
    faults: 0,
    unmatched: [],
    elapsedMs: 290_000,
    coverage: { stated: 712, cited: 540, planned: 172 },
  };

  test('says how many passed, in what time, and the requirements', () => {
    expect(endLine(run)).toBe(
      'npm test: 3,367 tests in 1 file passed in 4 min 50 s; requirements: 712 stated, 540 cited, 172 planned',
    );
  });

  test('names the files that failed, and what to type to run one', () => {
    const failed = Array.from({ length: 7 }, (_, at) => ({
      file: `test/${at}.test.ts`,
      failed: true,
      tests: [ended({ state: 'failed' }), ended({})],
    }));
    expect(endLine({ ...run, files: failed })).toBe(
      'npm test: FAILED after 4 min 50 s: 7 of 14 tests failed, in test/0.test.ts, test/1.test.ts, test/2.test.ts, test/3.test.ts, test/4.test.ts and 2 more; to run one: npm test -- test/0.test.ts',
    );
  });

  test('names a file that failed before its tests', () => {
    const failed = [{ file, failed: true, tests: [ended({ state: 'skipped' })] }];
    expect(endLine({ ...run, files: failed })).toContain(': 1 file failed, in test/x.test.ts; to run one: ');
  });

  test('says what failed outside the tests', () => {
    expect(endLine({ ...run, errors: 2, faults: 1 })).toBe(
      'npm test: FAILED after 4 min 50 s: 2 errors outside the tests; 1 citation did not run (named above)',
    );
  });
});

test('filters that chose nothing are found, whatever their form', () => {
  const ran = [{ file, failed: false, tests: [ended({})] }];
  const left = [{ file, failed: false, tests: [ended({ state: 'skipped' })] }];
  const paths = ['test/x', './test/x.test.ts', 'test/x.test.ts:12', 'test/y'];
  expect(filtersWithoutTests({ paths, name: undefined }, ran)).toEqual(['test/y']);
  expect(filtersWithoutTests({ paths: [], name: /does it/ }, ran)).toEqual([]);
  expect(filtersWithoutTests({ paths: [], name: /does/ }, left)).toEqual(['-t does']);
  expect(filtersWithoutTests({ paths: [], name: /does/ }, [{ file, failed: true, tests: [] }])).toEqual([]);
});
