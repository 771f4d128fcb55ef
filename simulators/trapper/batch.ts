// What a sender asks: a batch of values, and which of them a server with these items processes.
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import type { KnownItems, TrapperValue } from './control.ts';

const text = z.union([z.string(), z.number()]).transform(String);

const batchSchema = z.looseObject({
  request: z.literal('sender data'),
  data: z.array(z.looseObject({ host: z.string(), key: z.string(), value: text, clock: z.int().optional() })),
});

/** Values of a request in the order in which they were sent; a text tells what is wrong with the request. */
export function parseBatch(body: string): readonly TrapperValue[] | string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    return `cannot parse the request as JSON: ${messageOf(error)}`;
  }
  const parsed = batchSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'request'}: ${issue?.message ?? 'invalid'}`;
  }
  return parsed.data.data.map(({ host, key, value, clock = null }) => ({ host, key, value, clock }));
}

export function isKnown(known: KnownItems, { host, key }: TrapperValue): boolean {
  return known === null || (Object.hasOwn(known, host) && known[host]?.includes(key) === true);
}

/** The sentence a server answers with; senders read their exit code from it. */
export function formatResult(processed: number, failed: number): string {
  const info = `processed: ${processed}; failed: ${failed}; total: ${processed + failed}; seconds spent: 0.000055`;
  return JSON.stringify({ response: 'success', info });
}
