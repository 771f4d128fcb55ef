// How much of a period was observed, by whom, and why not all of it.
import { z } from 'zod';
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
  /** `none`: nothing was observed; `part`: something was, and not all of it. */
  observed: z.enum(['none', 'part']),
  reason: z.string(),
  message: z.string(),
  /** Rows that were not understood. */
  missedRows: z.int(),
});
export type CoverageGap = z.output<typeof gap>;

/** From what it is known: lives, ages or remaining times of entries, timers as the router is delivered, events of Agents. */
export const unseenSources = ['entry_life', 'entry_age', 'entry_timer', 'delivered_timers', 'agent_events'] as const;

export const unseen = z.object({
  /** Of the connections, those that no read can have shown; null while it is not known. */
  share: share.nullable(),
  /** What is the case, and what to do. */
  message: z.string(),
  by: z.enum(unseenSources).nullable(),
  /** Interval of the reads, milliseconds. */
  intervalMs: z.int(),
  /** Time that was counted, milliseconds: about a day at most, older counts weigh less. */
  countedMs: z.int(),
  /** Connections in that time: those that reads showed, and how many there were; null while it is not known. */
  seen: z.int(),
  estimated: z.int().nullable(),
  /** Most unseen first, at most 20. */
  services: z.array(
    z.object({
      proto: z.string(),
      /** Null: the ports of this protocol that are not counted one by one. */
      dport: z.int().nullable(),
      seen: z.int(),
      estimated: z.int(),
      share,
    }),
  ),
  /** A shorter interval, and at most which share is missed then; null when the present one misses 2 % or less. */
  suggestion: z.object({ intervalMs: z.int(), share, message: z.string() }).nullable(),
});
export type Unseen = z.output<typeof unseen>;

export const coverageSubject = z.object({
  kind: z.enum(coverageKinds),
  /** Id of the router, of the Agent, or of the feed. */
  id: z.string(),
  name: z.string(),
  /** First instant of which something is known, within the log. */
  since: z.int(),
  /** Since when it is not set up any more; null while it is. */
  removedAt: z.int().nullable(),
  /** Of its time in the window; null when it has none. */
  share: share.nullable(),
  /** The share of the window that was observed in part; it counts in `share`. */
  partShare: share.nullable(),
  /** What it does not see although it is observed, in sentences. */
  cannotSee: z.array(z.string()),
  /** Connections that its reads cannot see, as of now and not of the window; null for Agents, feeds and removed routers. */
  unseen: unseen.nullable(),
  /** Reads of the router, within the spans that touch the window. */
  reads: z.int(),
  /** Newest first, at most 100. */
  gaps: z.array(gap),
  gapsTotal: z.int(),
  /** Share of each bucket; null where it was not set up. */
  timeline: z.array(share.nullable()),
});
export type CoverageSubject = z.output<typeof coverageSubject>;

export const coverageAnswer = z.object({
  from: z.int(),
  to: z.int(),
  buckets: z.int(),
  /** Of the routers together. */
  ...coverage.shape,
  /** Routers, then Agents, then feeds; by name. */
  subjects: z.array(coverageSubject),
  serverTime: z.int(),
});
export type CoverageAnswer = z.output<typeof coverageAnswer>;

export const coverageRoutes = {
  coverage: {
    method: 'GET',
    path: '/api/coverage',
    access: can('network.read'),
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
  },
} as const satisfies RouteTable<Access>;
