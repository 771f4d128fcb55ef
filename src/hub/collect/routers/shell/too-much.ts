// A router that says more than any router has to say.
import { limits } from '#contract/limits.ts';
import { ShellError } from '../driver.ts';

/** `what` was exceeded, such as `131,070 rows in one answer`. */
export function tooMuchOutput(what: string): ShellError {
  return new ShellError(
    'too_much_output',
    `The router sent more than ${what}, far more than a router has to show, and the connection was closed. Log in by hand and see what it prints; if it does not stop, restart or update it. The next poll connects anew.`,
  );
}

/** Throws `too_much_output` when an answer has more rows than twice the largest table. */
export function checkRows(count: number, what = 'rows'): void {
  if (count > limits.answerRows) {
    throw tooMuchOutput(`${limits.answerRows.toLocaleString('en')} ${what} in one answer`);
  }
}

/** `8 MB`: for limits, which are whole megabytes. */
export function megabytes(bytes: number): string {
  return `${bytes / 1_048_576} MB`;
}
