// The summary of a window: its flows for the groups, their hours for the timeline.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { canonicalIp } from '#kernel/address.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { observerSetsOf } from './filter.ts';
import { flowColumns } from './flow-columns.ts';
import { readObserverSets } from './observer-set.ts';
import { collectGroups } from './summary-groups.ts';
import { readDestinations, readSources } from './summary-words.ts';
import { readThreats } from './threat.ts';
import { readTimeline } from './timeline.ts';
import { flowsOfWindow } from './window-flows.ts';

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
  const columns = flowColumns(reader);
  const destinations = reader.remembered('destinations', () => readDestinations(reader));
  const { states, firstSeen, lastSeen } = flowsOfWindow(columns, {
    from: filter.from,
    to: filter.to,
    observers: filter.sourceId === undefined ? null : observerSetsOf(reader, filter),
    source: src === undefined ? null : sourceNamed(reader, src),
  });
  const isEmpty = lastSeen === 0;
  const from = filter.from ?? (isEmpty ? (filter.to ?? now) : firstSeen);
  const to = filter.to ?? (isEmpty ? from : lastSeen);
  const timeline = readTimeline(reader, { from, to, buckets, columns, states, destinations });
  const observers = readObserverSets(reader);
  const [sources, threats] = [readSources(reader), readThreats(reader)];
  const groups = collectGroups({ columns, states, sources, destinations, observers, threats });
  return { ...groups, ...timeline, buckets, from, to };
}

/** The id of a source address in any spelling; -1 when the log does not know it. */
function sourceNamed(reader: Reader, address: string): number {
  const row = reader.prepare('SELECT id FROM source WHERE address = ?').get(canonicalIp(address) ?? address);
  return (row as { id: number } | undefined)?.id ?? -1;
}
