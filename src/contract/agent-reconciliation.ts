// Where a router and an Agent saw different connections of one machine, and why that is likely. Neither side is accused:
// each sees by its nature what the other one does not.
import { z } from 'zod';
import { explain } from '#kernel/text/problem.ts';
import { limits } from './limits.ts';

/** Why the Agent did not report a session that a router saw. */
export const routerOnlyReasons = [
  'clock_skew',
  'agent_silent',
  'not_yet_delivered',
  'protocol_not_observed',
  'unconnected_udp',
  'shorter_than_interval',
  'other_namespace',
] as const;

/** Why no router saw a connection that the Agent reported. */
export const agentOnlyReasons = [
  'clock_skew',
  'local_destination',
  'no_router_of_this_address',
  'ipv6_not_translated',
  'not_yet_polled',
  'router_silent',
  'shorter_than_poll',
] as const;

const millis = z
  .string()
  .regex(/^\d{1,16}$/, 'must be epoch milliseconds, digits only')
  .transform(Number);

export const reconciliationQuery = z.strictObject({
  from: millis.optional().describe('Start of the range, epoch milliseconds; a day before its end when left out'),
  to: millis.optional().describe('End of the range, epoch milliseconds; now when left out'),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be digits')
    .transform(Number)
    .refine(
      (rows) => rows <= limits.reconciliationRows,
      explain(`must be at most ${limits.reconciliationRows}`, 'too_big', limits.reconciliationRows),
    )
    .optional()
    .describe(
      `Rows of each list, ${limits.reconciliationRows} at most; ${limits.reconciliationRowsDefault} when left out`,
    ),
});

const session = {
  src: z.string(),
  sport: z.int().describe('0: not known'),
  dst: z.string(),
  dport: z.int(),
  proto: z.string(),
  dstHost: z.string().nullable(),
  firstSeen: z.int(),
  lastSeen: z.int(),
};

export const reconciliation = z.object({
  agentId: z.string(),
  from: z.int(),
  to: z.int(),
  clockSkewMs: z
    .int()
    .nullable()
    .describe("How far the clock of the Agent is ahead of the hub's, by its latest batch; null before the first"),
  /** Sessions that both saw, and how they were found to be the same. */
  both: z.object({
    exact5tuple: z.int(),
    unique4tupleTime: z.int(),
    ambiguous: z.int().describe('Of the same key and time, with several that it could be: not guessed'),
  }),
  routerOnly: z.object({
    total: z.int(),
    byReason: z.partialRecord(z.enum(routerOnlyReasons), z.int()),
    /** Newest first. */
    sessions: z.array(
      z.object({
        ...session,
        routerId: z.string(),
        reason: z.enum(routerOnlyReasons),
        explanation: z.string().describe('The reason as a sentence'),
      }),
    ),
  }),
  agentOnly: z.object({
    total: z.int(),
    byReason: z.partialRecord(z.enum(agentOnlyReasons), z.int()),
    sessions: z.array(
      z.object({
        ...session,
        observationId: z.string(),
        process: z.string(),
        reason: z.enum(agentOnlyReasons),
        explanation: z.string(),
      }),
    ),
  }),
  truncated: z.boolean().describe('More rows were found than were read: narrow the range'),
});
export type Reconciliation = z.output<typeof reconciliation>;
