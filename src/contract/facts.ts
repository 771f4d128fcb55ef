// Sentences of the hub as codes and values, for a page in another language. The same sentences stand beside them in English.
import { z } from 'zod';

export const factCodes = [
  'feed_off',
  'feed_empty',
  'feed_offline',
  'feed_key_missing',
  'feed_key_refused',
  'feed_failed',
  'feed_tried_again',
  'feed_unconfirmed',
  'list_missing',
  'list_in_use',
  'log_missing',
  'log_unreadable',
  'mesh_entries_dropped',
  'mesh_login_refused',
  'mesh_failed',
] as const;
export type FactCode = (typeof factCodes)[number];

const fact = z
  .object({
    code: z.enum(factCodes).describe('What the sentence says'),
    values: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe('The values in the sentence; detail: the reason in English, often of another program'),
  })
  .meta({ title: 'Fact' });
export type Fact = z.output<typeof fact>;

export const messageFacts = z.array(fact).describe('The sentences of message as codes and values, in their order');
