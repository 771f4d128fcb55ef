// The block list: what a router or a resolver is to block, as a text that it fetches
// (docs/reference/wire-contract/4-endpoints.md#block-list). The hub itself changes no router and no resolver.
import { z } from 'zod';
import { del, get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { limits } from './limits.ts';

export const blockFormats = ['plain', 'hosts', 'rpz', 'yamaha', 'cisco'] as const;
export type BlockFormat = (typeof blockFormats)[number];

/** Reasons to leave an entry out of the texts that routers and resolvers fetch: the network needs it, or no text can say it. */
export const withheldReasons = ['allowed', 'own_network', 'not_public', 'too_wide', 'not_blockable'] as const;
export type WithheldReason = (typeof withheldReasons)[number];

const blockEntry = z
  .object({
    value: z.string().describe('An address, a network as address/length, or a name without the names below it'),
    kind: z.enum(['ip', 'cidr', 'domain']),
    added: z
      .object({
        id: z.string().describe('What DELETE /api/blocklist/entries/:id takes'),
        note: z.string().nullable(),
        by: z.string().describe('Who added it, as the audit trail names them'),
        addedAt: z.int(),
      })
      .nullable()
      .describe('Of what somebody added; null: only confirmed threats have it'),
    alerts: z.array(z.int()).describe('The acknowledged alerts of threats that name it'),
    lists: z.array(z.string()).describe('The threat feeds of these alerts that list it now'),
    withheld: z
      .enum(withheldReasons)
      .nullable()
      .describe('Why it is not given out, such as: the allow list has it; null: it is given out'),
  })
  .meta({ title: 'BlockEntry' });
export type BlockEntry = z.output<typeof blockEntry>;

const entries = z.object({
  entries: z.array(blockEntry).describe('IPv4, then IPv6, then names, each in its order'),
  changedAt: z.int().describe('Since when the list that is given out is as it is; 0: nothing was ever on it'),
  serverTime: z.int(),
});

const id = z
  .string()
  .regex(/^[\da-f]{16}$/, 'must be 16 hexadecimal digits')
  .describe('Id of an entry that somebody added, as GET /api/blocklist/entries lists it');

export const blockListRoutes = {
  list: get('/api/blocklist', can('network.read'), {
    summary: 'The block list as a text, for the router or resolver that blocks',
    details:
      'It has what an acknowledged alert of a threat names while a feed lists it, and what people added; nothing that the ' +
      'allow list has, and nothing of the own network. The entity tag is strong: If-None-Match is answered with 304.',
    query: z.strictObject({
      format: z
        .enum(blockFormats)
        .default('plain')
        .describe(
          'plain: one entry a line; hosts: a hosts file; rpz: a response policy zone; yamaha and cisco: filter commands',
        ),
    }),
    reply: { 200: z.string(), 304: z.null() },
    media: ['text/plain'],
    compress: false,
  }),
  entries: get('/api/blocklist/entries', can('network.read'), {
    summary: 'The entries of the block list, why each is there, and which are not given out',
    reply: { 200: entries },
  }),
  add: post('/api/blocklist/entries', can('settings.write'), {
    summary: 'Put an address, a network or a name on the block list; one that is there gets the new note',
    refusals: ['block_entry_refused', 'block_list_limit'],
    body: z.strictObject({
      value: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(limits.allowListEntry, `must be at most ${limits.allowListEntry} characters`)
        .describe('A public address, a network of /8 (IPv6 /19) or longer, or a name of at least two labels'),
      note: z
        .string()
        .trim()
        .max(limits.blockListNote, `must be at most ${limits.blockListNote} characters`)
        .transform((text) => (text === '' ? null : text))
        .optional()
        .describe('Why, in words'),
    }),
    reply: { 200: entries.extend({ success: z.literal(true) }) },
  }),
  remove: del('/api/blocklist/entries/:id', can('settings.write'), {
    summary: 'Take what somebody added off the block list; confirmed threats stay',
    refusals: ['not_found'],
    params: z.object({ id }),
    reply: { 200: entries.extend({ success: z.literal(true) }) },
  }),
} as const satisfies RouteTable<Access>;
