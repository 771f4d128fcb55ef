// Queries about Agents for reader threads: the known places, and the comparison with the routers.
import type { z } from 'zod';
import type { geoDocument } from '#contract/agent-ingest.ts';
import type { Reconciliation } from '#contract/agent-reconciliation.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { unkeptAddress } from '../../base/unkept-address.ts';
import { agentOnlyExplanations, agentOnlyReason, routerOnlyExplanations, routerOnlyReason } from './reasons.ts';
import { type ComparedRange, compare, type Session, type Unmatched } from './reconcile.ts';

export interface ReconciliationParams extends ComparedRange {
  /** Number of the Agent in the database. */
  agent: number;
  agentId: string;
  limit: number;
  pollMs: number;
  now: number;
}

interface RouterSession extends Session {
  routerId: string;
}

interface AgentSession extends Session {
  observationId: string;
  process: string;
  isEvent: number;
}

export const agentQueries = {
  /** Every destination with both coordinates, by address. */
  agentPlaces(reader: Reader): Pick<z.input<typeof geoDocument>, 'entries'> {
    const entries = reader
      .prepare(
        `SELECT address, lat, lon, country, city FROM destination WHERE lat IS NOT NULL AND lon IS NOT NULL
         ORDER BY address`,
      )
      .raw()
      .all() as z.input<typeof geoDocument>['entries'];
    return { entries };
  },

  reconciliation(reader: Reader, params: ReconciliationParams): Reconciliation {
    const { agentId, from, to, limit, pollMs, now } = params;
    const routers = routerSessions(reader, params);
    const agents = agentSessions(reader, params);
    const { skewMs } = reader.prepare('SELECT skew_ms AS skewMs FROM agent WHERE id = ?').get(params.agent) as {
      skewMs: number | null;
    };
    const deliveries = Float64Array.from(
      reader
        .prepare('SELECT received_at FROM agent_batch WHERE agent = ? AND received_at >= ? ORDER BY received_at')
        .pluck()
        .all(params.agent, from - hourMs) as number[],
    );
    const most = limits.reconciliationSessions;
    const found = compare(routers.slice(0, most), agents.slice(0, most), params);
    const agentSide = { deliveries, hasEvents: agents.some(({ isEvent }) => isEvent === 1), skewMs, now };
    const routerSide = { sightings: findSightings(routers), pollMs, skewMs, now };
    const routerOnly = withReasons(found.routerOnly, (one) => routerOnlyReason(one, agentSide));
    const agentOnly = withReasons(found.agentOnly, (one) => agentOnlyReason(one, routerSide));
    const findHost = hostNames(reader);
    return {
      agentId,
      from,
      to,
      clockSkewMs: skewMs,
      both: found.both,
      routerOnly: {
        ...totals(routerOnly),
        sessions: routerOnly.slice(0, limit).map(({ session, reason }) => ({
          ...toShownSession(session, findHost),
          routerId: session.routerId,
          reason,
          explanation: routerOnlyExplanations[reason],
        })),
      },
      agentOnly: {
        ...totals(agentOnly),
        sessions: agentOnly.slice(0, limit).map(({ session, reason }) => ({
          ...toShownSession(session, findHost),
          observationId: session.observationId,
          process: session.process,
          reason,
          explanation: agentOnlyExplanations[reason],
        })),
      },
      truncated: routers.length > most || agents.length > most,
    };
  },
};

export type AgentQueries = typeof agentQueries;

/** Newest first, including times shortly outside the range. One row more than the limit shows that there are more. */
function routerSessions(reader: Reader, { agent, from, to, windowMs }: ReconciliationParams): RouterSession[] {
  return reader
    .prepare(
      `SELECT r.src, r.sport, r.dst, r.dport, r.proto, r.first_seen AS firstSeen, r.last_seen AS lastSeen,
         o.router_id AS routerId
       FROM router_session r JOIN observer o ON o.id = r.observer
       WHERE r.src IN (SELECT address FROM agent_address WHERE agent = ?) AND r.last_seen >= ? AND r.first_seen <= ?
       ORDER BY r.last_seen DESC LIMIT ${limits.reconciliationSessions + 1}`,
    )
    .all(agent, from - windowMs, to + windowMs) as RouterSession[];
}

/** The parts of a connection as one session; order, range and number as of the routers. */
function agentSessions(reader: Reader, { agent, from, to, windowMs }: ReconciliationParams): AgentSession[] {
  return reader
    .prepare(
      `SELECT o.local_address AS src, o.local_port AS sport, o.remote_address AS dst, o.remote_port AS dport, o.proto,
         o.first_at AS firstSeen, MAX(o.last_at) AS lastSeen, o.process, lower(hex(o.observation_id)) AS observationId,
         MAX(o.collector IN ('socket-events', 'ebpf', 'etw', 'network-extension')) AS isEvent
       FROM agent_batch b JOIN agent_observation o ON o.batch = b.id
       WHERE b.agent = ? AND b.received_at >= ? AND o.last_at >= ? AND o.first_at <= ?
         AND o.remote_address <> '${unkeptAddress}'
       GROUP BY o.local_address, o.local_port, o.remote_address, o.remote_port, o.proto, o.first_at
       ORDER BY lastSeen DESC LIMIT ${limits.reconciliationSessions + 1}`,
    )
    .all(agent, from - limits.agentFutureMs, from - windowMs, to + windowMs) as AgentSession[];
}

/** When routers showed sessions of each source, ascending. */
function findSightings(sessions: readonly Session[]): Map<string, Float64Array> {
  const times = Map.groupBy(sessions, ({ src }) => src)
    .entries()
    .map(([src, some]) => {
      const all = some.flatMap(({ firstSeen, lastSeen }) => [firstSeen, lastSeen]);
      return [src, Float64Array.from(all).sort()] as const;
    });
  return new Map(times);
}

function withReasons<S extends Session, R extends string>(
  unmatched: readonly Unmatched<S>[],
  findReason: (one: Unmatched<S>) => R,
): { session: S; reason: R }[] {
  return unmatched.map((one) => ({ session: one.session, reason: findReason(one) }));
}

function totals<R extends string>(
  all: readonly { reason: R }[],
): { total: number; byReason: Partial<Record<R, number>> } {
  const byReason: Partial<Record<R, number>> = {};
  for (const { reason } of all) {
    byReason[reason] = (byReason[reason] ?? 0) + 1;
  }
  return { total: all.length, byReason };
}

function hostNames(reader: Reader): (address: string) => string | null {
  const find = reader.prepare('SELECT host FROM destination WHERE address = ?').pluck();
  return (address) => (find.get(address) as string | null | undefined) ?? null;
}

function toShownSession(
  { src, sport, dst, dport, proto, firstSeen, lastSeen }: Session,
  findHost: (dst: string) => string | null,
) {
  return { src, sport, dst, dport, proto, dstHost: findHost(dst), firstSeen, lastSeen };
}
