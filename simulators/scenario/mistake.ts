// The first issue of a schema as one sentence with its line and column.
import type { z } from 'zod';
import type { UsageError } from '#kernel/process/program.ts';
import type { Place, Source } from '#kernel/text/yaml.ts';

type Issue = z.core.$ZodIssue;

/** The error for the first issue of a schema; `whole` is its subject when it is about all of the value. */
export function toMistake(source: Source, first: Issue | undefined, whole: string): UsageError {
  const { place, reason, isKey } = locate(first);
  const last = place.at(-1);
  const subject =
    last === undefined
      ? whole
      : typeof last === 'number'
        ? `entry ${last + 1} of ${String(place.at(-2))}`
        : String(last);
  return source.mistake(place, `${subject} ${reason}`, isKey ? 'key' : 'value');
}

/** Of a value with several forms, the mistake in the form that it comes nearest to. */
function locate(issue: Issue | undefined): { place: Place; reason: string; isKey: boolean } {
  if (issue === undefined) {
    return { place: [], reason: 'is not valid', isKey: false };
  }
  const place = issue.path;
  if (issue.code === 'unrecognized_keys') {
    return { place: [...place, issue.keys[0] ?? ''], reason: issue.message, isKey: true };
  }
  const [deepest] = issue.code === 'invalid_union' ? issue.errors.flat().sort((a, b) => depth(b) - depth(a)) : [];
  if (deepest && depth(deepest) > 0) {
    const inner = locate(deepest);
    return { ...inner, place: [...place, ...inner.place] };
  }
  return { place, reason: issue.message, isKey: issue.code === 'invalid_key' };
}

const depth = ({ path: place, code }: Issue) => place.length + (code === 'unrecognized_keys' ? 1 : 0);
