// How much of a window each router, Agent and threat feed observed, and why it did not observe the rest.
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { range } from './connections.ts';
import { limits } from './limits.ts';
import { coverage, share } from './model.ts';
import { chosenRule } from './privacy.ts';

export const coverageKinds = ['router', 'agent', 'feed'] as const;
export type CoverageKind = (typeof coverageKinds)[number];

const gap = z.object({
  from: z.int(),
  to: z.int(),
  observed: z.enum(['none', 'part']).describe('none: nothing was observed in this time; part: not everything was'),
  reason: z.string().describe('Code of the reason'),
  message: z.string(),
  missedRows: z.int().describe('Rows of the session table that were not understood'),
});
export type CoverageGap = z.output<typeof gap>;

/**
 * What an estimate is computed from: age and remaining time of table entries, age alone, remaining time alone, factory
 * timers of the router, or connections that Agents reported.
 */
const unseenBases = ['entry_life', 'entry_age', 'entry_timer', 'delivered_timers', 'agent_events'] as const;

export const unseen = z.object({
  share: share.nullable().describe('Share of the connections that no read showed; null without an estimate'),
  message: z.string(),
  by: z.enum(unseenBases).nullable().describe('What the estimate is computed from; null without an estimate'),
  intervalMs: z.int().describe('Interval of the reads, milliseconds'),
  countedMs: z.int().describe('Time that the counts cover, milliseconds: about a day at most; older counts weigh less'),
  seen: z.int().describe('Connections in that time that reads showed'),
  estimated: z.int().nullable().describe('Connections in that time, seen or not; null without an estimate'),
  /** At most 20, those with the most unseen connections first. */
  services: z.array(
    z.object({
      proto: z.string(),
      dport: z.int().nullable().describe('Null: all ports of this protocol that are not counted one by one'),
      seen: z.int(),
      estimated: z.int(),
      share,
    }),
  ),
  suggestion: z
    .object({ intervalMs: z.int(), share, message: z.string() })
    .nullable()
    .describe(
      'A shorter interval and the most that it misses; null when 2 % or less is missed, or no better one is known',
    ),
});
export type Unseen = z.output<typeof unseen>;

export const blindSpot = z.object({
  code: z.enum(['between_reads', 'between_socket_reads', 'unconnected_udp']),
  share: share.nullable().describe('Share of all connections that are not seen because of it; null when not known'),
});
export type BlindSpot = z.output<typeof blindSpot>;

export const coverageSubject = z.object({
  kind: z.enum(coverageKinds),
  id: z.string().describe('Id of the router, of the Agent, or of the feed'),
  name: z.string(),
  since: z.int().describe('Start of the first stored record of what it observed'),
  removedAt: z.int().nullable().describe('When it was removed; null while it is set up'),
  share: share.nullable().describe('Observed share of its time in the window; null when it was not set up then'),
  partShare: share.nullable().describe('The part of share in which not everything was observed'),
  cannotSee: z.array(z.string()).describe('What it cannot see even without a gap, in English sentences'),
  blindSpots: z.array(blindSpot).describe('cannotSee as codes and values, for pages in other languages'),
  unseen: unseen
    .nullable()
    .describe('Connections that its reads miss now, whatever the window; null for Agents, feeds and removed routers'),
  reads: z.int().describe('Reads in the stored records that overlap the window'),
  gaps: z.array(gap).describe('Newest first, at most 100'),
  gapsTotal: z.int(),
  timeline: z.array(share.nullable()).describe('Observed share of each bucket; null where it was not set up'),
});
export type CoverageSubject = z.output<typeof coverageSubject>;

export const coverageAnswer = z.object({
  from: z.int(),
  to: z.int(),
  buckets: z.int(),
  /** `share` and `message` of all routers together. */
  ...coverage.shape,
  subjects: z.array(coverageSubject).describe('Routers, then Agents, then feeds; by name'),
  chosen: z
    .array(chosenRule)
    .describe('Whose destinations are not kept because somebody chose so: no gap, and in no share'),
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
