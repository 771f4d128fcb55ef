// Why a list could not be fetched: stored as a phrase that follows "The publisher", said to the page as a fact.
import type { CauseCode, Fact, FactCode } from '#contract/facts.ts';
import { createFact, describeCode } from '../../base/refusals.ts';

/** Writes the phrases. The database keeps them, so each must go on being read by `toFailureFact`. */
export const failurePhrases = {
  late: (seconds: number) => `did not answer within ${seconds} s`,
  tooLong: (megabytes: number) => `answered with more than ${megabytes} MB`,
  redirect: (status: number) => `answered with a redirect (${status}), which is not followed`,
  busy: 'says that it was asked too often (429)',
  status: (status: number) => `answered ${status}`,
  notList: (problem: string) => `sent something that is not the list: ${problem}`,
  broken: (code: string) => `gave no whole answer (${code})`,
};

/** Reads them again: the code of each, and the values in it by name. */
const readPhrases: readonly [FactCode, RegExp][] = [
  ['feed_late', /^did not answer within (?<seconds>\d+) s$/],
  ['feed_too_long', /^answered with more than (?<megabytes>\d+) MB$/],
  ['feed_redirects', /^answered with a redirect \((?<status>\d+)\), which is not followed$/],
  ['feed_busy', /^says that it was asked too often/],
  ['feed_status', /^answered (?<status>\d+)$/],
  ['feed_empty_file', /is not the list: it (?:has 0 bytes|lists nothing)$/],
  ['feed_shrank', /is not the list: it has (?<rows>\d+) entries, and had (?<before>\d+) before$/],
  ['feed_too_many', /is not the list: it has (?<rows>\d+) entries, more than \d+$/],
  ['feed_rows_unreadable', /is not the list: (?<bad>\d+) of its (?<rows>\d+) rows cannot be read$/],
];

export function toFailureFact(failure: string): Fact {
  for (const [code, phrase] of readPhrases) {
    const found = phrase.exec(failure);
    if (found !== null) {
      return createFact(code, parseValues(found.groups ?? {}));
    }
  }
  const [, detail] = /^sent something that is not the list: (.+)$/s.exec(failure) ?? [];
  if (detail !== undefined) {
    const cause: CauseCode = detail === 'it is a web page' ? 'web_page' : 'other_form';
    return createFact('feed_not_list', { detail, cause });
  }
  const [, code] = /^gave no whole answer \((.+)\)$/.exec(failure) ?? [];
  return createFact('feed_failed', code === 'no connection' ? {} : describeCode(code ?? failure));
}

function parseValues(groups: Readonly<Record<string, string>>): Fact['values'] {
  return Object.fromEntries(Object.entries(groups).map(([name, digits]) => [name, Number(digits)]));
}
