// The values of command-line options: checked, with a sentence that names the option and what it takes.

import { listed } from '../text/problem.ts';
import { mustBe } from './env.ts';
import { UsageError } from './program.ts';

/** The number of `--NAME`. Throws a UsageError when it is not a whole number of the range, whose ends belong to it. */
export function wholeOption(name: string, text: string, [min, max]: readonly [min: number, max: number]): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`--${name} ${mustBe(`a whole number from ${min} to ${max}`, text)}`);
  }
  return value;
}

/** The address of `--NAME`. Throws a UsageError, which names `what` it is the address of, when it is none of http or https. */
export function urlOption(name: string, text: string, what: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--${name} ${mustBe(`the address of ${what}, such as http://127.0.0.1:3000`, text)}`);
  }
  return url;
}

/** The word of `--NAME`. Throws a UsageError when it is none of `allowed`. */
export function oneOfOption<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === text);
  if (found === undefined) {
    throw new UsageError(`--${name} ${mustBe(listed(allowed), text)}`);
  }
  return found;
}
