// The summary of a window: one pass over its flows for the groups, one over their hours for the timeline.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { canonicalIp } from '#kernel/address.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { withoutIdleBounds } from './count.ts';
import { allOf, type Condition, type FlowIndex, matching } from './filter.ts';
import { readObserverSets } from './observer-set.ts';
import { collectGroups, type FlowRow } from './summary-groups.ts';
import { readDestinations, readSources } from './summary-words.ts';
import { readThreats } from './threat.ts';
import { readTimeline } from './timeline.ts';

export interface SummaryParams {
  filter: Pick<ConnectionFilter, 'from' | 'to' | 'sourceKind' | 'sourceId'>;
  /** Only flows of this source address. */
  src: string | undefined;
  /** 1…240. */
  buckets: number;
  now: number;
}

/** `serverTime` and `cached` are left to whoever keeps the answer. */
export function summarise(reader: Reader, params: SummaryParams): Omit<ConnectionSummary, 'serverTime' | 'cached'> {
  const { filter, src, buckets, now } = params;
  const device = ofSource(src);
  const where = allOf([matching(withoutIdleBounds(reader, filter)), ...device]);
  const destinations = readDestinations(reader);
  const observers = readObserverSets(reader);
  const threats = readThreats(reader);
  const sources = readSources(reader);
  const { maxId } = reader.prepare('SELECT coalesce(max(id), 0) AS maxId FROM flow').get() as { maxId: number };
  const flows = readFlows(reader, where, src === undefined ? 'flow_seen' : 'sqlite_autoindex_flow_1');
  const { totals, groups, targets } = collectGroups({ flows, maxId, sources, destinations, observers, threats });
  const isEmpty = totals.count === 0;
  const from = filter.from ?? (isEmpty ? (filter.to ?? now) : totals.firstSeen);
  const to = filter.to ?? (isEmpty ? from : totals.lastSeen);
  return { ...groups, ...readTimeline(reader, { from, to, buckets, targets }), total: totals.count, buckets, from, to };
}

function ofSource(src: string | undefined): Condition[] {
  return src === undefined
    ? []
    : [{ sql: 'f.source_id IN (SELECT id FROM source WHERE address = ?)', values: [canonicalIp(src) ?? src] }];
}

function readFlows(reader: Reader, { sql, values }: Condition, index: FlowIndex): Iterable<FlowRow> {
  return reader
    .prepare(
      `SELECT f.id, f.source_id, f.destination_id, f.observer_set_id, f.first_seen, f.last_seen, f.ttl, f.dport, f.proto,
         f.threat_id
       FROM flow f INDEXED BY ${index} WHERE ${sql}`,
    )
    .raw()
    .iterate(...values) as Iterable<FlowRow>;
}
