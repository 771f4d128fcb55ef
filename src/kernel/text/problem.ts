// Messages for the issues of a schema: every sentence that a person reads about input.

import { z } from 'zod';
import type { FieldProblem } from '../errors.ts';

type Raw = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/**
 * The error map for `safeParse(value, { error: explainIssue })`: what must follow the name of the field, such as `is missing`
 * or `must be a whole number, not text`. Nothing of the value is quoted: it may be a secret. A schema's own message wins.
 */
export const explainIssue: z.core.$ZodErrorMap = (issue) => reasonOf(issue);

/**
 * `safeParse` of what others sent or wrote, in words. Zod compares the length of what should be text or a list even where it
 * is an object, and throws for `{"length":{"toString":1}}`, whose length is nothing that can be compared: here that is an
 * issue as any other.
 */
export function readInput<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(value, { error: explainIssue });
  } catch (error) {
    if (!(error instanceof TypeError && error.message.startsWith('Cannot convert object to primitive value'))) {
      throw error;
    }
    return z.never({ error: 'has an object with a length that is no number' }).safeParse(value);
  }
}

/** `field reason` of the first issue; `whole` is the subject when it is about all of the input. */
export function firstProblem(error: z.ZodError, whole = 'the input'): string {
  const { field, reason } = findProblem(error);
  return `${field || whole} ${reason}`;
}

/** Finds what is wrong first. `field` is the path of the member, empty when the problem is with all of the input. */
export function findProblem({ issues: [issue] }: z.ZodError): { field: string; reason: string; problem: FieldProblem } {
  return issue
    ? { field: toPath(issue), reason: issue.message, problem: toProblem(issue) }
    : { field: '', reason: 'is not valid', problem: { code: 'custom', limit: null, unit: null } };
}

function toProblem(issue: Issue): FieldProblem {
  const code = issue.message.startsWith('is missing') ? 'missing' : issue.code;
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    const limit = Number(issue.code === 'too_big' ? issue.maximum : issue.minimum);
    return { code, limit, unit: units[issue.origin] ?? null };
  }
  return issue.code === 'custom'
    ? { code, limit: null, unit: null, ...issue.params }
    : { code, limit: null, unit: null };
}

/**
 * What a refinement says of a value: the sentence, and the same as a code and values for a page in another language.
 * `z.string().refine(isName, explain('must be a name', 'invalid_format'))`.
 */
export function explain(error: string, code: string, limit: number | null = null, unit: string | null = null) {
  return { error, params: { code, limit, unit } };
}

function toPath(issue: Issue): string {
  const key = issue.code === 'unrecognized_keys' ? [issue.keys[0] ?? ''] : [];
  return [...issue.path, ...key].join('.');
}

function reasonOf(issue: Raw): string {
  if (issue.input === undefined && issue.code !== 'custom') {
    return issue.code === 'invalid_value' ? `is missing: ${listed(issue.values)}` : 'is missing';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${isWhole(issue.inst) ? 'a whole number' : typeName(issue.expected)}${given(issue)}`;
    case 'invalid_value':
      return `must be ${listed(issue.values)}`;
    case 'too_big':
      return sized(
        issue.origin,
        issue.maximum,
        issue.exact ? 'exactly' : 'at most',
        issue.inclusive ? '' : 'less than',
      );
    case 'too_small':
      return Number(issue.minimum) === 1 && !issue.exact && isCounted(issue.origin)
        ? 'must not be empty'
        : sized(issue.origin, issue.minimum, issue.exact ? 'exactly' : 'at least', issue.inclusive ? '' : 'more than');
    case 'invalid_format':
      return formatReason(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `is not known here; ${knownOf(issue.inst)}`;
    case 'invalid_union':
      return unionReason(issue);
    case 'invalid_key':
      return `has a name that is not accepted: it ${innerReason(issue.issues)}`;
    case 'invalid_element':
      return `has an entry that is not accepted: it ${innerReason(issue.issues)}`;
    default:
      return 'is not valid';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
  void: 'left out',
  date: 'a date',
};

function typeName(expected: string): string {
  return typeNames[expected] ?? expected;
}

function isWhole(schema: unknown): boolean {
  return schema instanceof z.ZodNumber && schema.isInt;
}

/** What was sent, by its kind; empty where it would repeat what is expected. */
function given({ expected, input }: Raw): string {
  if (typeof input === 'number') {
    return expected === 'int' || expected === 'number' ? '' : ', not a number';
  }
  const kind = input === null ? 'null' : Array.isArray(input) ? 'a list' : typeNames[typeof input];
  return kind === undefined || kind === typeName(String(expected)) ? '' : `, not ${kind}`;
}

/** `a, b or c`. */
export function listed(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length < 2 ? (words[0] ?? 'nothing') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const units: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'entries',
  set: 'entries',
  map: 'entries',
};

function isCounted(origin: string): boolean {
  return origin in units || origin === 'file';
}

function sized(origin: string, limit: unknown, bound: string, strict: string): string {
  if (isCounted(origin)) {
    return `must have ${strict || bound} ${limit} ${units[origin] ?? 'bytes'}`;
  }
  return strict === '' ? `must be ${bound} ${limit}` : `must be ${strict} ${limit}`;
}

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 range such as 192.0.2.0/24',
  cidrv6: 'an IPv6 range such as 2001:db8::/32',
  mac: 'a MAC address',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 12:30:00',
  datetime: 'a date and time such as 2026-01-31T12:30:00Z',
  duration: 'a duration such as PT1H',
  base64: 'base64',
  base64url: 'base64url',
  json_string: 'JSON',
  jwt: 'a JSON Web Token',
};

function formatReason({ format, pattern, prefix, suffix, includes }: Raw): string {
  switch (format) {
    case 'regex':
      return `must match the pattern ${pattern}`;
    case 'starts_with':
      return `must begin with ${prefix}`;
    case 'ends_with':
      return `must end with ${suffix}`;
    case 'includes':
      return `must hold ${includes}`;
    default:
      return `must be ${formats[String(format)] ?? `of the form ${format}`}`;
  }
}

function knownOf(schema: unknown): string {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return names.length === 0 ? 'nothing is' : `known: ${names.join(', ')}`;
}

/** A form whose type fits says what is wrong with it; else the types that would fit are named. */
function unionReason(issue: Raw): string {
  const forms = (issue.errors ?? []) as readonly (readonly Issue[])[];
  const firsts = forms.map(([first]) => first).filter((first) => first !== undefined);
  const near = firsts.find(
    ({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'),
  );
  if (near) {
    return near.path.length === 0 ? near.message : `is not valid: ${toPath(near)} ${near.message}`;
  }
  const names = firsts.flatMap((first) =>
    first.code === 'invalid_value' ? first.values : [first.message.replace(/^must be |, not .*$/g, '')],
  );
  return names.length === 0 ? 'is of no known kind' : `must be ${listed([...new Set(names)])}`;
}

function innerReason(issues: readonly Issue[]): string {
  return issues[0]?.message ?? 'is not valid';
}
