// What a run of the tests has to say: which citations did not run, how far it is, how it ended. Pure: prints nothing.
import type { Citation, CoverageCount } from './coverage.ts';

/** One test, as the run left it. */
export interface TestEnd {
  file: string;
  name: string;
  cites: readonly string[];
  state: 'passed' | 'failed' | 'skipped' | 'pending';
  /** Why it was skipped, if it said so. */
  note: string | undefined;
}

/** One test file, as the run left it. */
export interface FileEnd {
  file: string;
  failed: boolean;
  tests: readonly TestEnd[];
}

/** A file that is running, and for how long. */
export interface FileUnderWay {
  file: string;
  sinceMs: number;
}

export interface RunEnd {
  /** What was typed: `npm test`. */
  command: string;
  files: readonly FileEnd[];
  /** Errors outside the tests, such as a rejection that nobody handled. */
  errors: number;
  /** Citations that did not run. */
  faults: number;
  /** What was asked for and found no test: words of `filtersWithoutTests`. */
  unmatched: readonly string[];
  elapsedMs: number;
  coverage: CoverageCount;
}

const namedFiles = 5;

/** A real program is missing; with REQUIRE_REAL=1 the same is a failure (real-programs.ts). */
function isForMissingProgram({ state, note }: TestEnd): boolean {
  return state === 'skipped' && note?.includes('REQUIRE_REAL=1') === true;
}

/**
 * A sentence for each cited test that did not run: `cited` is what the files of the run say, `ended` what ran. Files that
 * failed are left out, as the run is red for them already.
 */
export function citationsNotRun(cited: readonly Citation[], ended: readonly FileEnd[]): string[] {
  const ends = new Map(ended.map((end) => [end.file, end]));
  const faults: string[] = [];
  for (const [file, citations] of Map.groupBy(cited, ({ where }) => where.replace(/:\d+$/, ''))) {
    const end = ends.get(file);
    const ids = [...new Set(citations.map(({ id }) => id))];
    if (end === undefined) {
      faults.push(`${file} did not run, it cites ${ids.join(', ')}`);
      continue;
    }
    if (end.failed) continue;
    for (const test of end.tests) {
      if (test.cites.length > 0 && test.state === 'skipped' && !isForMissingProgram(test)) {
        faults.push(`${file}: "${test.name}" did not run (${test.note ?? 'skipped, no reason given'})`);
      }
    }
    const missing = ids.filter((id) => !end.tests.some(({ cites }) => cites.includes(id)));
    // The tests that a missing program leaves out are not collected.
    if (missing.length > 0 && !end.tests.some(isForMissingProgram)) {
      faults.push(`${file} cites ${missing.join(', ')} in a test that was not collected`);
    }
  }
  return faults;
}

/**
 * Why each skipped test did not run: a skip that nobody reads is a test that nobody has. Without a reason it counts only in a
 * run of all tests, and in a file that did not fail, as elsewhere it says nothing of the test.
 */
export function skippedTests(ended: readonly FileEnd[], isFiltered: boolean): string[] {
  return ended.flatMap(({ failed, tests }) =>
    tests
      .filter(({ state, note }) => state === 'skipped' && (note !== undefined || !(isFiltered || failed)))
      .map(({ file, name, note }) => `skipped: ${file}: ${name} (${note ?? 'no reason given'})`),
  );
}

/**
 * Filters that chose nothing, as a misspelt name does: words that are in no path of `files`, and the pattern of names when
 * no test of them ran.
 */
export function filtersWithoutTests(
  { paths, name }: { paths: readonly string[]; name: RegExp | undefined },
  files: readonly FileEnd[],
): string[] {
  const withoutLine = (text: string) => text.replace(/^\.\//, '').replace(/:\d+$/, '');
  const unmatched = paths.filter((text) => !files.some(({ file }) => file.includes(withoutLine(text))));
  const ran = files.some(({ failed, tests }) => failed || tests.some(({ state }) => state !== 'skipped'));
  return [...unmatched, ...(name === undefined || ran ? [] : [`-t ${name.source}`])];
}

/** How far the run is. */
export function progressLine(done: number, all: number, underWay: readonly FileUnderWay[], elapsedMs: number): string {
  const longest = [...underWay].sort((one, other) => other.sinceMs - one.sinceMs);
  const running = longest.map(({ file, sinceMs }) => `${file} (${duration(sinceMs)})`).join(', ');
  return `… ${count(done)} of ${count(all)} test files done after ${duration(elapsedMs)}; running: ${running || 'none'}`;
}

/** The last line of a run. */
export function endLine({ command, files, errors, faults, unmatched, elapsedMs, coverage }: RunEnd): string {
  const tests = files.flatMap((file) => file.tests);
  const having = (state: TestEnd['state']) => tests.filter((test) => test.state === state).length;
  const failed = files.filter((file) => file.failed).map(({ file }) => file);
  const took = duration(elapsedMs);
  if (failed.length === 0 && errors === 0 && faults === 0 && unmatched.length === 0) {
    const skipped = having('skipped') === 0 ? '' : `, ${count(having('skipped'))} skipped`;
    const { stated, cited, planned } = coverage;
    return (
      `${command}: ${some(having('passed'), 'test')} in ${some(files.length, 'file')} passed${skipped} in ${took}; ` +
      `requirements: ${stated} stated, ${cited} cited, ${planned} planned`
    );
  }
  const shown = failed.slice(0, namedFiles).join(', ');
  const more = failed.length > namedFiles ? ` and ${failed.length - namedFiles} more` : '';
  // A file may fail before its tests do.
  const broken =
    having('failed') === 0
      ? some(failed.length, 'file')
      : `${count(having('failed'))} of ${some(tests.length, 'test')}`;
  const parts = [
    ...(failed.length > 0 ? [`${broken} failed, in ${shown}${more}`] : []),
    ...(errors > 0 ? [`${some(errors, 'error')} outside the tests`] : []),
    ...(unmatched.length > 0 ? [`no test matches ${unmatched.join(', ')}`] : []),
    ...(faults > 0 ? [`${some(faults, 'citation')} did not run (named above)`] : []),
  ];
  const one = failed[0] === undefined ? '' : `; to run one: ${command} -- ${failed[0]}`;
  return `${command}: FAILED after ${took}: ${parts.join('; ')}${one}`;
}

/** `4 min 50 s`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1 file`, `3,367 tests`. */
function some(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`;
}

/** `3,367`. */
function count(number: number): string {
  return number.toLocaleString('en');
}
