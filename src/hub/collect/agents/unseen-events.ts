// Counts connections that Agents reported and the router did not show: an estimate of what reads of a router miss. It
// serves routers whose tables have no times.
import { isLocalIp } from '#kernel/net/address.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { unkeptAddress } from '../../base/unkept-address.ts';
import type { EventCount } from '../../record/coverage/span.ts';

interface UnseenEventsParams {
  routerId: string;
  /** The period of the events, epoch milliseconds. */
  from: number;
  to: number;
}

/** A router session at most this far from an event is the same connection: its ports are reused only later. */
const portReuseMs = hourMs;

export const unseenEventQueries = {
  /**
   * Returns, for each protocol and destination port, the TCP and UDP events of the machines and those without a router
   * session. An event counts after the router first showed a session of the machine, while the router's tables were
   * read whole. A translation table shows neither IPv6 nor the local network: these events are left out.
   */
  unseenEvents(reader: Reader, params: UnseenEventsParams): EventCount[] {
    const rows = reader
      .prepare(
        `WITH router AS (SELECT id FROM observer WHERE router_id = :routerId),
         here AS (SELECT src, min(first_seen) AS since FROM router_session
           WHERE observer = (SELECT id FROM router) AND last_seen BETWEEN :from AND :to GROUP BY src),
         event AS (
           SELECT o.proto, o.remote_port AS dport, o.local_address AS src, o.local_port AS sport, o.remote_address AS dst,
             o.first_at AS firstAt, max(o.last_at) AS lastAt
           FROM agent_batch b JOIN agent_observation o ON o.batch = b.id JOIN here ON here.src = o.local_address
           WHERE b.received_at >= :from AND o.first_at >= max(here.since, :from) AND o.last_at <= :to AND o.confidence = 'exact'
             AND o.collector IN ('socket-events', 'conntrack', 'ebpf', 'etw', 'network-extension')
             AND o.local_port > 0 AND instr(o.remote_address, ':') = 0 AND o.remote_address <> '${unkeptAddress}'
           GROUP BY o.local_address, o.local_port, o.remote_address, o.remote_port, o.proto, o.first_at)
         SELECT proto, dport, dst, count(*) AS events, sum(NOT EXISTS (
             SELECT 1 FROM router_session r
             WHERE (r.src, r.dst, r.dport, r.proto, r.sport) = (e.src, e.dst, e.dport, e.proto, e.sport)
               AND r.observer = (SELECT id FROM router)
               AND r.first_seen <= e.lastAt + ${portReuseMs} AND r.last_seen >= e.firstAt - ${portReuseMs})) AS missed
         FROM event e WHERE EXISTS (
           SELECT 1 FROM coverage_span s JOIN coverage_subject c ON c.id = s.subject
           WHERE c.kind = 'router' AND c.key = :routerId AND s.reason IS NULL
             AND s.since <= e.firstAt AND s.until >= e.lastAt)
         GROUP BY proto, dport, dst`,
      )
      .all({ ...params }) as (EventCount & { dst: string })[];
    return sumByService(rows.filter(({ dst }) => !isLocalIp(dst)));
  },
};

function sumByService(rows: readonly EventCount[]): EventCount[] {
  const counts = new Map<string, EventCount>();
  for (const { proto, dport, events, missed } of rows) {
    const count = counts.get(`${proto} ${dport}`) ?? { proto, dport, events: 0, missed: 0 };
    count.events += events;
    count.missed += missed;
    counts.set(`${proto} ${dport}`, count);
  }
  return [...counts.values()];
}
