// What of the log is not safe: flows per level, and the listed destinations with the most sessions.
import type { ThreatConnections, ThreatCounts } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { countMatching } from './count.ts';
import { allOf, matching } from './filter.ts';

export interface ThreatCountsParams {
  filter: ConnectionFilter;
  now: number;
}

export function countThreats(reader: Reader, { filter, now }: ThreatCountsParams): ThreatCounts {
  const { fThreat: asked } = filter;
  const level = (fThreat: 'warn' | 'danger') =>
    asked === undefined || asked === fThreat ? countMatching(reader, { ...filter, fThreat }) : 0;
  const warn = level('warn');
  const danger = level('danger');
  return { safe: countMatching(reader, filter) - warn - danger, warn, danger, serverTime: now };
}

export interface ThreatConnectionsParams {
  filter: ConnectionFilter;
  confidence: 'low' | 'high' | 'all';
  limit: number;
  now: number;
}

type Listed = Omit<ThreatConnections['threats'][number], 'level' | 'feed' | 'category'> & {
  rank: 1 | 2;
  total: number;
};

export function listThreats(reader: Reader, params: ThreatConnectionsParams): ThreatConnections {
  const { confidence, limit, now } = params;
  const where = allOf([
    matching(params.filter),
    { sql: 'd.threat_level > 0', values: [] },
    ...(confidence === 'all' ? [] : [{ sql: 'd.threat_confidence = ?', values: [confidence] }]),
  ]);
  // One row more than nothing, so that the number of groups is known when none is asked for.
  const rows = reader
    .prepare(
      `SELECT d.address AS dst, d.host, count(*) AS sessions, d.threat_confidence AS confidence,
         d.threat_level AS rank, d.threat_source AS source, d.threat_tag AS tag, d.threat_match_type AS matchType,
         d.threat_match_value AS matchValue, d.threat_url AS url, count(*) OVER () AS total
       FROM destination d CROSS JOIN flow f ON f.destination_id = d.id
       WHERE ${where.sql} GROUP BY d.id ORDER BY sessions DESC, d.address LIMIT ?`,
    )
    .all(...where.values, Math.max(limit, 1)) as Listed[];
  const threats = rows.slice(0, limit).map(({ rank, total: _, ...row }) => ({
    ...row,
    level: rank === 2 ? ('danger' as const) : ('warn' as const),
    feed: row.source,
    category: row.tag,
  }));
  return { count: threats.length, total: rows[0]?.total ?? 0, threats, serverTime: now };
}
