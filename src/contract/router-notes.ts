// Notes: what an operator should know about the last read of a router, as a code and the values of its sentence.
import { z } from 'zod';

const count = z.int().positive();

const routerNote = z
  .discriminatedUnion('code', [
    z.object({
      code: z.literal('table_full'),
      used: z.int(),
      most: z.int().describe('Entries that the router allows'),
    }),
    z.object({
      code: z.literal('table_in_pages'),
      pages: count.describe('Pages that the router made of its NAT table'),
    }),
    z.object({ code: z.literal('paging_stays_on') }),
    z.object({ code: z.literal('no_times') }),
    z.object({ code: z.literal('cells_merged') }),
    z.object({ code: z.literal('clock_not_set') }),
    z.object({ code: z.literal('keys_lost'), questions: count.describe('Page questions that did not react to a key') }),
    z.object({ code: z.literal('log_in_table'), lines: count.describe('Lines of the log between the rows') }),
    z.object({ code: z.literal('rows_not_supported'), rows: count }),
    z.object({ code: z.literal('arp_incomplete'), read: z.int(), declared: count }),
    z.object({
      code: z.literal('several_descriptors'),
      descriptors: z.array(z.string()),
      chosen: z.string().nullable().describe('The one that is suggested; null: none could be read'),
    }),
    z.object({ code: z.literal('console'), encoding: z.string(), lines: z.string(), columns: z.string() }),
    z.object({ code: z.literal('text_withheld') }),
  ])
  .meta({ title: 'RouterNote' });

/** The notes of a router, as a status and a detection have them. */
export const routerNotes = {
  notes: z.array(z.string()).describe('What is worth knowing about the last read, in English'),
  noteFacts: z.array(routerNote).describe('The same notes as codes and values, for a page in another language'),
};

export type RouterNote = z.infer<typeof routerNote>;
