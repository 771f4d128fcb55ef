// How much of a period was observed, by whom, and why not all of it.
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { range } from './connections.ts';
import { limits } from './limits.ts';
import { coverage, share } from './model.ts';

export const coverageKinds = ['router', 'agent', 'feed'] as const;
export type CoverageKind = (typeof coverageKinds)[number];

const gap = z.object({
  from: z.int(),
  to: z.int(),
  observed: z.enum(['none', 'part']).describe('none: nothing was observed; part: something was, and not all of it'),
  reason: z.string(),
  message: z.string(),
  missedRows: z.int().describe('Rows that were not understood'),
});
export type CoverageGap = z.output<typeof gap>;

/** From what it is known: lives, ages or remaining times of entries, timers as the router is delivered, events of Agents. */
export const unseenSources = ['entry_life', 'entry_age', 'entry_timer', 'delivered_timers', 'agent_events'] as const;

export const unseen = z.object({
  share: share.nullable().describe('Of the connections, those that no read can have shown; null while it is not known'),
  message: z.string().describe('What is the case, and what to do'),
  by: z.enum(unseenSources).nullable(),
  intervalMs: z.int().describe('Interval of the reads, milliseconds'),
  countedMs: z.int().describe('Time that was counted, milliseconds: about a day at most, older counts weigh less'),
  seen: z.int().describe('Connections in that time that reads showed'),
  estimated: z.int().nullable().describe('How many connections there were in that time; null while it is not known'),
  /** Most unseen first, at most 20. */
  services: z.array(
    z.object({
      proto: z.string(),
      dport: z.int().nullable().describe('Null: the ports of this protocol that are not counted one by one'),
      seen: z.int(),
      estimated: z.int(),
      share,
    }),
  ),
  suggestion: z
    .object({ intervalMs: z.int(), share, message: z.string() })
    .nullable()
    .describe(
      'A shorter interval, and at most which share is missed then; null when the present one misses 2 % or less',
    ),
});
export type Unseen = z.output<typeof unseen>;

export const blindSpot = z.object({
  code: z.enum(['between_reads', 'between_socket_reads', 'unconnected_udp']),
  share: share.nullable().describe('How much of all connections that is; null where it is not known'),
});
export type BlindSpot = z.output<typeof blindSpot>;

export const coverageSubject = z.object({
  kind: z.enum(coverageKinds),
  id: z.string().describe('Id of the router, of the Agent, or of the feed'),
  name: z.string(),
  since: z.int().describe('First instant of which something is known, within the log'),
  removedAt: z.int().nullable().describe('Since when it is not set up any more; null while it is'),
  share: share.nullable().describe('Of its time in the window; null when it has none'),
  partShare: share.nullable().describe('The share of the window that was observed in part; it counts in share'),
  cannotSee: z.array(z.string()).describe('What it does not see although it is observed, in English sentences'),
  blindSpots: z.array(blindSpot).describe('The same as codes and values, for a page in another language'),
  unseen: unseen
    .nullable()
    .describe(
      'Connections that its reads cannot see, as of now and not of the window; null for Agents, feeds and removed routers',
    ),
  reads: z.int().describe('Reads of the router, within the spans that touch the window'),
  gaps: z.array(gap).describe('Newest first, at most 100'),
  gapsTotal: z.int(),
  timeline: z.array(share.nullable()).describe('Share of each bucket; null where it was not set up'),
});
export type CoverageSubject = z.output<typeof coverageSubject>;

export const coverageAnswer = z.object({
  from: z.int(),
  to: z.int(),
  buckets: z.int(),
  /** Of the routers together. */
  ...coverage.shape,
  subjects: z.array(coverageSubject).describe('Routers, then Agents, then feeds; by name'),
  serverTime: z.int(),
});
export type CoverageAnswer = z.output<typeof coverageAnswer>;

export const coverageRoutes = {
  coverage: get('/api/coverage', can('network.read'), {
    summary: 'How much of a window each router, Agent and threat feed observed, and why not all of it',
    query: z.strictObject({
      ...range,
      buckets: z
        .string()
        .regex(/^\d+$/, 'must be digits')
        .max(4, 'must be at most 4 digits')
        .transform(Number)
        .optional()
        .describe(
          `Parts of the timeline, ${limits.summaryBuckets} at most; ${limits.summaryBucketsDefault} when left out`,
        ),
    }),
    reply: { 200: coverageAnswer },
  }),
} as const satisfies RouteTable<Access>;
