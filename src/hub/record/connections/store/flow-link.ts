// A connection that two routers translate one after the other, as it is handed over to be stored.
import type { EndedFlow } from './observation.ts';

export type FlowKey = Omit<EndedFlow, 'isListed'>;

/**
 * The flow `inner` of one router is the flow `outer` of another one, which sees the address that the first translates to.
 * Ports are those of one session of it, null where the protocol has none.
 */
export interface FlowLink {
  inner: FlowKey;
  innerRouter: string;
  outer: FlowKey;
  outerRouter: string;
  sport: number | null;
  /** What the inner router translates `sport` to. */
  port: number | null;
  /** What the outer router translates that to; null where its table does not show it. */
  beyondAddress: string | null;
  beyondPort: number | null;
}

/** What a whole table says of translation. */
export interface Translated {
  routerId: string;
  /** What the router translates sources to, canonical. */
  addresses: readonly string[];
  links: readonly FlowLink[];
  /** When the table was here, epoch milliseconds. */
  at: number;
}
