// The named ways the simulated AI providers misbehave.
import type { Armed } from '../support/armed-faults.ts';
import { choice, filledText, requireValue, type ValueRule, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/**
 * Every fault with one sentence: what it does, and what `value` means. `times` is for so many requests, `skip` lets so many
 * pass first, `command` restricts it to paths that start so, such as `/cloud_a`, `/cloud_a/v1/messages` or `/cloud_c_control`.
 */
export const aiFaults = {
  unauthorized:
    'Refuses every key: 401, at cloud_c 403 UnrecognizedClientException (`value` names another, such as AccessDeniedException).',
  'forbidden-list': 'Answers 403 to a listing of models, profiles or guardrails, as without the permission for it.',
  'forbidden-guardrail': 'Answers 403 to a request with a guardrail, as without the permission to apply it.',
  'rate-limited': 'Answers 429, with `value` as Retry-After (30 when absent).',
  'server-error': 'Answers with status `value` (500 when absent) in the shape of the provider.',
  overloaded: 'Answers that it is overloaded: 529 at cloud_a, 503 elsewhere.',

  slow: 'Waits `value` ms (5,000 when absent) before it answers.',
  hold: 'Holds the request until it is released or the faults are cleared, then answers as ever.',
  'no-answer': 'Never answers; the connection is cut when the faults are cleared.',
  reset: 'Resets the connection after the head and `afterBytes` of the answer (half when absent).',
  truncated: 'Announces the whole answer, and closes after `afterBytes` of it (half when absent).',
  stall:
    'Announces the whole answer, and sends nothing after `afterBytes` of it (half when absent) until the faults are cleared.',

  huge: 'Adds a member of `value` bytes (2,000,000 when absent) to the answer.',
  html: 'Answers 200 with an HTML page.',
  'not-json': 'Answers with the first half of the JSON, as if that were all of it.',
  'wrong-type': 'Answers JSON with the content type text/plain.',
  redirect: 'Redirects to `value` (`https://elsewhere.invalid/` when absent).',

  'cut-prompt':
    'Reads `value` tokens of a longer prompt (4,096 when absent), and answers 200 with no text, stopped by length.',
  'too-long': 'Answers 400 to a prompt: it is longer than what the model can read.',
  'half-read':
    'Reads the last `value` tokens of a longer prompt (4,096 when absent), and answers as if that were all of it.',
  length: 'Stops in the middle of the answer, as when it reaches its limit of tokens.',
  thinks: 'The model uses up all tokens of its answer before the answer begins: no text, stopped by length.',
  'gives-up': 'At cloud_b the response has failed, and says why and what it used.',
  refusal: 'The model declines to answer; with `filter` as `value` a filter of the provider withholds the answer.',
  'empty-answer': 'The answer has no text.',
  'guardrail-intervened': 'At cloud_c a guardrail blocks the answer and puts its message there.',
  'usage-missing': 'The answer does not say how many tokens were used.',
  'usage-malformed': 'Numbers of tokens are `value`: negative (when absent), 1e300, text or fraction.',
  'made-up-address':
    'The answer names an address, a host and a number that are not in the facts; `value` is the address instead.',
  'obeys-injection':
    'The model does what a text in the facts tells it: repeats it and asks for more; with `tool` as `value` it calls a tool.',
} as const;

export type AiFault = keyof typeof aiFaults;

/** Uses up one occasion of the fault for this request; null when it is not armed for it. */
export type TakeFault = (fault: AiFault) => Armed<AiFault> | null;

const tokens = wholeNumber(2);

const values: Partial<Record<AiFault, ValueRule>> = {
  'server-error': wholeNumber(500, 599, 'a status from 500 to 599'),
  'usage-malformed': choice(['negative', '1e300', 'text', 'fraction'], 'negative, 1e300, text or fraction'),
  'obeys-injection': choice(['tool'], '"tool", or absent'),
  refusal: choice(['filter'], '"filter", or absent'),
  'rate-limited': {
    words: 'a number of seconds or a date as text',
    accepts: (value) => typeof value === 'string' || wholeNumber(0).accepts(value),
  },
  slow: wholeNumber(0),
  huge: wholeNumber(0),
  'cut-prompt': tokens,
  'half-read': tokens,
  redirect: filledText,
  'made-up-address': filledText,
  unauthorized: filledText,
};

/** Throws, naming the fault, when its options cannot be meant. */
export function requireFaultOptions(fault: AiFault, options: FaultOptions): void {
  const { command } = options;
  if (command !== undefined && !command.startsWith('/')) {
    throw new Error(`${fault}: command is a path that starts with /, such as /cloud_a/v1/messages`);
  }
  requireValue(fault, options, values);
}
