// The named ways the simulated feeds and reputation services misbehave.
import { requireValue, type ValueRule, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, when it shows, and what `value` means. `times` is for so many occasions,
 * `skip` lets so many pass first, `command` restricts it to paths that start so, such as `/urlhaus` or `/spamhaus/drop/drop_v6`.
 */
export const feedFaults = {
  html: 'Answers 200 with an HTML page.',
  empty: 'Answers 200 with 0 bytes.',
  half: 'Answers 200 with the first half of the document, as if that were all of it.',
  'cut-off': 'Announces the whole document, and closes in the middle of it.',
  shrunk: 'Lists one entry in twenty.',
  garbled: 'Half of the rows are not rows.',
  huge: 'Sends `value` bytes (70,000,000 when absent) of comment lines.',
  bomb: 'Sends what unpacks to `value` bytes (300,000,000 when absent).',
  'error-500': 'Answers 500.',
  'too-many': 'Answers 429, with `value` as Retry-After (30 when absent).',
  forbidden: 'Answers 403, whatever the key.',
  redirect: 'Redirects to `value` (`https://elsewhere.invalid/` when absent).',
  slow: 'Waits `value` ms (5,000 when absent) before it answers.',
  hang: 'Sends the head, and then nothing.',
  'no-validators': 'Sends neither ETag nor Last-Modified, and answers no conditional request with 304.',
  'not-json': 'A reputation service answers 200 with a page.',
} as const;

export type FeedFault = keyof typeof feedFaults;

const values: Partial<Record<FeedFault, ValueRule>> = {
  huge: wholeNumber(0),
  bomb: wholeNumber(0),
  'too-many': wholeNumber(0),
  slow: wholeNumber(0),
};

/** Throws, naming the fault, when its `value` cannot be meant. A fault without a rule takes any value. */
export function requireFaultValue(fault: FeedFault, options: FaultOptions): void {
  if (values[fault]) {
    requireValue(fault, options, values);
  }
}
