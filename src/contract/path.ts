// The way of a connection over the routers that showed it, and what translated its source on the way.
import { z } from 'zod';

/**
 * `ordered`: two routers or more, from the inside to the outside; `single`: one router; `unknown`: several routers, and their
 * tables do not say in which order; `none`: no router, only an Agent.
 */
export const pathStates = ['ordered', 'single', 'unknown', 'none'] as const;

/**
 * `seen`: two routers translate the source, one behind the other; `likely`: the outermost address that is known is private or
 * shared (RFC 1918, RFC 6598), so that something beyond translates it; `no`: it is a public one; `unknown`: no table shows it.
 */
export const doubleNats = ['seen', 'likely', 'no', 'unknown'] as const;
export type DoubleNat = (typeof doubleNats)[number];

/** `port` is that of one session: null where there is none, or where sessions differ. */
const side = z.object({ address: z.string(), port: z.int().nullable() });

const hop = z.object({
  routerId: z.string(),
  name: z.string().nullable(),
  position: z
    .enum(['inside', 'between', 'outside'])
    .nullable()
    .describe('Null when the order is unknown, or there is one router'),
  connections: z
    .array(z.string())
    .describe(
      'The connection as this router shows it, as GET /api/connections/:id takes it: more than one behind a translation; at most 20',
    ),
  connectionsTotal: z.int(),
  inside: side.nullable().describe('The source as the router gets it; null when it comes from several'),
  outside: side.nullable().describe('What the router translates it to; null where its table does not show it'),
});
export type Hop = z.output<typeof hop>;

export const connectionPath = z.object({
  state: z.enum(pathStates),
  doubleNat: z.enum(doubleNats),
  hops: z.array(hop).describe('From the inside to the outside; by id when the order is unknown'),
  seenAt: z
    .int()
    .nullable()
    .describe('When the tables last said so, to the hour; null when no two tables are needed for it'),
  message: z.string(),
});
export type ConnectionPath = z.output<typeof connectionPath>;
