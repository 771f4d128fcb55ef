// Changes that a caller asks of the state of a simulator (`patch`).
import type { z } from 'zod';

/** Throws, naming the first member that is unknown or invalid. */
export function parseChange<T>(schema: z.ZodType<T>, change: unknown): T {
  const parsed = schema.safeParse(change);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join('.') || 'state'}: ${issue?.message ?? 'invalid'}`);
  }
  return parsed.data;
}

export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function pickDefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
