// A whole number as clients send it.
import { z } from 'zod';

/** A number, or its decimal text. */
export const wholeNumber = (min: number) =>
  z
    .union([
      z.number().meta({ type: 'integer', minimum: min }),
      z.string().regex(/^\d{1,16}$/, 'must be a whole number'),
    ])
    .transform((given, context) => {
      const value = Number(given);
      if (!Number.isSafeInteger(value) || value < min) {
        context.addIssue({
          code: 'custom',
          message: `must be a whole number of at least ${min}`,
          params: { code: 'too_small', limit: min },
        });
        return z.NEVER;
      }
      return value;
    });
