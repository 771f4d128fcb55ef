// Reads which flow of one router is which flow of another one.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';

/** Names routers by id and sources by address. The ports are those of one session. */
export interface Link {
  innerFlow: number;
  innerRouter: string;
  innerSrc: string;
  outerFlow: number;
  outerRouter: string;
  outerSrc: string;
  seenAt: number;
  sport: number | null;
  port: number | null;
  beyondAddress: string | null;
  beyondPort: number | null;
}

export type Links = ReturnType<typeof createLinks>;

/** The times of addresses are stored with a precision of an hour. */
const slackMs = 2 * hourMs;

export function createLinks(reader: Pick<Reader, 'prepare'>) {
  // Most networks have no links: then no flow is looked up.
  const isEmpty = reader.prepare('SELECT 1 FROM flow_link LIMIT 1').get() === undefined;
  const createLinkFinder = (end: 'inner' | 'outer') => {
    const find = reader.prepare(
      `SELECT l.inner_flow AS innerFlow, io.router_id AS innerRouter, si.address AS innerSrc,
         l.outer_flow AS outerFlow, oo.router_id AS outerRouter, so.address AS outerSrc, l.seen_at AS seenAt, l.sport, l.port,
         l.beyond_address AS beyondAddress, l.beyond_port AS beyondPort
       FROM flow_link l JOIN observer io ON io.id = l.inner_observer JOIN observer oo ON oo.id = l.outer_observer
         JOIN flow fi ON fi.id = l.inner_flow JOIN source si ON si.id = fi.source_id
         JOIN flow fo ON fo.id = l.outer_flow JOIN source so ON so.id = fo.source_id
       WHERE l.${end}_flow = ? ORDER BY l.seen_at DESC, l.id`,
    );
    return (flow: number) => (isEmpty ? [] : (find.all(flow) as Link[]));
  };
  const addresses = reader
    .prepare(
      `SELECT o.router_id AS routerId, a.address, a.first_seen AS first, a.last_seen AS last
       FROM router_address a JOIN observer o ON o.id = a.observer`,
    )
    .all() as { routerId: string; address: string; first: number; last: number }[];
  const byRouter = Map.groupBy(addresses, ({ routerId }) => routerId);
  const onward = createLinkFinder('inner');
  const into = createLinkFinder('outer');
  return {
    /** Returns the links from a flow towards the outside, the latest first. */
    onward,
    /** Returns the links from the inside to a flow, the latest first. */
    into,
    has: (flow: number) => onward(flow).length > 0 || into(flow).length > 0,
    /** What a router translated sources to at `at`; null when that is not one address. */
    addressOf(routerId: string, at: number) {
      const then = (byRouter.get(routerId) ?? []).filter(
        ({ first, last }) => first - slackMs <= at && at <= last + slackMs,
      );
      return then.length === 1 ? (then[0]?.address ?? null) : null;
    },
  };
}
