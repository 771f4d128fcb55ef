// Validates a part of a request: the parsed value, or an AppError with the field and the reason.
import type { z } from 'zod';
import { AppError, type ErrorCode, refuseField } from '../errors.ts';
import { findProblem, readInput } from '../text/problem.ts';

const wholes: Partial<Record<ErrorCode, string>> = { invalid_body: 'the body', invalid_query: 'the query' };

/** Parses `value`; an absent schema accepts only an empty part. Throws AppError `code` with the first problem only. */
export function parsePart(code: ErrorCode, schema: z.ZodObject | undefined, value: unknown): unknown {
  if (!schema) {
    const [extra] = Object.keys((value as object | undefined) ?? {});
    if (extra !== undefined) {
      throw new AppError(code, `${extra} is not known here; nothing is`);
    }
    return {};
  }
  // A schema with a catchall decides about unknown members itself.
  const parsed = readInput(schema.def.catchall ? schema : schema.strict(), value);
  if (parsed.success) {
    return parsed.data;
  }
  const { field, reason, problem } = findProblem(parsed.error);
  throw field === ''
    ? new AppError(code, `${wholes[code] ?? 'the input'} ${reason}`, { details: { problem } })
    : refuseField(code, field, reason, problem);
}
