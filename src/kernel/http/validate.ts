// One part of a request against its schema: the parsed value, or an AppError that names the field and then the reason.
import type { z } from 'zod';
import { AppError, type ErrorCode } from '../errors.ts';

/** Parses `value`; an absent schema accepts only an empty part. Throws AppError `code` with the first problem only. */
export function parsePart(code: ErrorCode, schema: z.ZodObject | undefined, value: unknown): unknown {
  if (!schema) {
    const [extra] = Object.keys((value as object | undefined) ?? {});
    if (extra !== undefined) {
      throw new AppError(code, `${extra} is not known here`);
    }
    return {};
  }
  // A schema that says itself what becomes of unknown members is taken at its word.
  const parsed = (schema.def.catchall ? schema : schema.strict()).safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  throw new AppError(code, firstProblem(parsed.error));
}

/** `field reason` of the first issue. */
export function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) {
    return 'the input is not valid';
  }
  if (issue.code === 'unrecognized_keys') {
    return `${[...issue.path, issue.keys[0]].join('.')} is not known here`;
  }
  const field = issue.path.join('.');
  const reason = issue.message.replace(/^Invalid input: /, 'is not valid: ');
  return field === '' ? `the input ${reason}` : `${field} ${reason}`;
}
