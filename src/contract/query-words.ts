// Words in a query string: one of a list, a text to look for, and texts of a parameter that may be repeated.
import { z } from 'zod';
import { explain } from '#kernel/text/problem.ts';
import { limits } from './limits.ts';

export const matchModes = ['contains', 'startsWith', 'endsWith', 'exact', 'isNot', 'notContains'] as const;
export type MatchMode = (typeof matchModes)[number];

/** One of `words`; any other text means `fallback` (docs/reference/wire-contract/4-endpoints.md#list). */
export const wordOr = <W extends string, F>(words: readonly W[], fallback: F) =>
  z
    .string()
    .transform((text) => words.find((word) => word === text) ?? fallback)
    .optional();

/** A whole number from 1 to `most`, as a page's length is; absent when it is left out. */
export const countUpTo = (most: number) =>
  z
    .string()
    .regex(new RegExp(`^[1-9]\\d{0,${String(most).length - 1}}$`), `must be a whole number from 1 to ${most}`)
    .transform(Number)
    .refine((count) => count <= most, explain(`must be at most ${most}`, 'too_big', most))
    .optional();

/** Text to look for; empty is the same as absent. */
export const words = (max: number) =>
  z
    .string()
    .max(max, `must be at most ${max} characters`)
    .transform((text) => (text === '' ? undefined : text))
    .optional();

/** Texts to look for, of a parameter that may be repeated; empty ones are the same as absent. */
export const texts = (max: number) =>
  repeatable(
    z
      .array(z.string().meta({ maxLength: max }))
      .max(limits.filterValues, `must have at most ${limits.filterValues} values`)
      // About the parameter, not about its third value: the message names what the caller wrote.
      .refine(
        (list) => list.every((text) => text.length <= max),
        explain(`must be at most ${max} characters`, 'too_big', max, 'characters'),
      )
      .transform((list) => someOf(list.filter((text) => text !== ''))),
  );

/** Which of `known` the parameter names, that may be repeated; other texts are the same as absent. */
export const knownWords = <W extends string>(known: readonly W[]) =>
  repeatable(
    z
      .array(z.string())
      .max(limits.filterValues, `must have at most ${limits.filterValues} values`)
      .transform((list) => someOf(known.filter((word) => list.includes(word)))),
  );

/** Some of `known`, of a parameter that may be repeated; any other text is refused. */
export const eachOf = <W extends string>(known: readonly [W, ...W[]]) =>
  repeatable(
    z
      .array(z.enum(known, `must be one of ${known.join(', ')}`))
      .max(known.length, `must have at most ${known.length} values`),
  );

/** `list` is what the parameter becomes: it arrives as text when it is given once. */
const repeatable = <L extends z.ZodType<unknown, string[]>>(list: L) =>
  z.preprocess((given: string | readonly string[]) => (typeof given === 'string' ? [given] : given), list).optional();

const someOf = <W extends string>(list: W[]) => (list.length === 0 ? undefined : list);
