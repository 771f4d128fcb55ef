// Between which instants the first and the last packet of a connection lie. A poll sees a table and not a packet.
import { z } from 'zod';

/**
 * `poll`: a read of a table showed it, or showed it no more; `entry_age`: the router says how old its entry is; `entry_timer`:
 * the router says how long ago the last packet was, or its timer was set back; `agent_event`: the kernel of the machine
 * reported it; `agent_poll`: the Agent found it in its socket table.
 */
export const evidences = ['poll', 'entry_age', 'entry_timer', 'agent_event', 'agent_poll'] as const;
export type Evidence = (typeof evidences)[number];

const span = z.object({
  notBefore: z.int().nullable().describe('Epoch milliseconds; null where nothing says how long before it was'),
  notAfter: z.int().nullable().describe('Epoch milliseconds; null where it may be going on unseen'),
  from: z.enum(evidences),
});

export const uncertainty = z.object({
  firstSeen: span,
  lastSeen: span.extend({
    /**
     * Ids of the routers whose table showed it when it was last read to its end: what is said of the last packet is as of
     * that read. Empty: no table shows it any more.
     */
    listedBy: z.array(z.string()),
  }),
});
export type Uncertainty = z.output<typeof uncertainty>;
