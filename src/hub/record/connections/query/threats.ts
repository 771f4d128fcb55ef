// Threats in the log: flows by level, and the listed destinations with the most sessions.
import type { Known, ThreatConnections, ThreatCounts } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import type { Threat } from '#contract/model.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { compareSeverity, readThreats } from '../store/verdicts.ts';
import { countMatching, dropNoopTimeBounds } from './count.ts';
import { toCondition } from './filter.ts';

export interface ThreatCountsParams {
  filter: ConnectionFilter;
  now: number;
}

export function countThreats(reader: Reader, { filter, now }: ThreatCountsParams): Omit<ThreatCounts, keyof Known> {
  const countLevel = (level: 'warn' | 'danger') =>
    filter.fThreat?.includes(level) === false ? 0 : countMatching(reader, { ...filter, fThreat: [level] });
  const warn = countLevel('warn');
  const danger = countLevel('danger');
  return { safe: countMatching(reader, filter) - warn - danger, warn, danger, serverTime: now };
}

export interface ThreatConnectionsParams {
  filter: ConnectionFilter;
  confidence: 'low' | 'high' | 'all';
  limit: number;
  now: number;
}

interface Listed {
  dst: string;
  host: string | null;
  sessions: number;
  threat: Threat;
}

/** Destinations with flows that are not safe, each with its most severe matching verdict. */
export function listThreats(
  reader: Reader,
  { filter, confidence, limit, now }: ThreatConnectionsParams,
): Omit<ThreatConnections, keyof Known> {
  const listed = new Map<number, Listed>();
  const threats = readThreats(reader);
  for (const [destination, threatId, sessions] of countVerdicts(reader, filter)) {
    const threat = threats.get(threatId);
    if (!threat || (confidence !== 'all' && threat.confidence !== confidence)) {
      continue;
    }
    const known = listed.get(destination);
    if (known) {
      known.sessions += sessions;
      known.threat = compareSeverity(known.threat, threat) <= 0 ? known.threat : threat;
    } else {
      const name = reader.prepare('SELECT address AS dst, host FROM destination WHERE id = ?').get(destination);
      listed.set(destination, { ...(name as { dst: string; host: string | null }), sessions, threat });
    }
  }
  const getSessions = ({ sessions }: Listed) => sessions;
  const shown = topBy(listed.values(), limit, getSessions, ({ dst }) => dst).map(toListedThreat);
  return { count: shown.length, total: listed.size, threats: shown, serverTime: now };
}

/** Counts the flows of each destination and verdict. */
function countVerdicts(reader: Reader, filter: ConnectionFilter): Iterable<[number, number, number]> {
  const { sql, values } = toCondition(reader, dropNoopTimeBounds(reader, filter));
  return reader
    .prepare(
      `SELECT f.destination_id, f.threat_id, count(*) FROM flow f INDEXED BY flow_threat
       WHERE f.threat_id IS NOT NULL AND ${sql} GROUP BY f.destination_id, f.threat_id`,
    )
    .raw()
    .all(...values) as [number, number, number][];
}

function toListedThreat({ dst, host, sessions, threat: { port: _, ...threat } }: Listed) {
  return { dst, host, sessions, ...threat, feed: threat.source, category: threat.tag };
}
