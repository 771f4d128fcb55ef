// Writes a merged flow: its row, and the hours it was seen in.
import type { Writer } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time.ts';
import type { FlowChanges } from '../store/change-log.ts';
import { describedDestinations, describedSources } from '../store/dictionary-writer.ts';
import { createSample, type FactProvider, type RecordReport, type ThreatFlow } from '../store/facts.ts';
import { packFinder } from '../store/hour-rows.ts';
import type { Recorded } from '../store/observation.ts';
import { joinSets } from '../store/observer-set.ts';
import { threatIds } from '../store/verdicts.ts';
import { knowledgeColumns } from './knowledge.ts';
import type { MergedFlow } from './merge.ts';

export interface FlowWriter {
  /** Writes one flow and returns the outcome. */
  write(flow: MergedFlow): keyof Recorded;
  /** What was new so far. */
  report(): RecordReport;
}

interface FlowRow {
  id: number;
  first: number;
  last: number;
  sport: number | null;
  ttl: number | null;
  observers: number;
}

/** For the flows that `observer` saw. Without `factProvider`, new rows have no facts and are safe. */
export function createFlowWriter(
  writer: Writer,
  observer: number,
  changes: FlowChanges,
  factProvider?: FactProvider,
): FlowWriter {
  const threats = createSample<ThreatFlow>();
  const sources = createSample<string>();
  const sourceOf = describedSources(writer, factProvider, sources.add);
  const destinationOf = describedDestinations(writer, factProvider);
  const threatId = threatIds(writer);
  const joined = joinSets(writer, observer);
  const touch = hourToucher(writer, changes);
  const knowledge = knowledgeColumns(writer);
  const find = writer.prepare(
    `SELECT id, first_seen AS first, last_seen AS last, sport, ttl, observer_set_id AS observers
     FROM flow WHERE source_id = ? AND destination_id = ? AND dport = ? AND proto = ?`,
  );
  const insert = writer.prepare(
    `INSERT INTO flow (source_id, destination_id, dport, proto, sport, ttl, first_seen, last_seen, observer_set_id,
       threat_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = writer.prepare(
    'UPDATE flow SET first_seen = ?, last_seen = ?, sport = ?, ttl = ?, observer_set_id = ? WHERE id = ?',
  );

  const judged = ({ src, dst, dport, proto }: MergedFlow, host: string | null) => {
    const threat = factProvider?.judge({ dst, dport, proto, host }) ?? null;
    if (threat) {
      threats.add({ src, dst, dport, proto, threat });
    }
    return threatId(threat);
  };

  const write = (flow: MergedFlow) => {
    const destination = destinationOf(flow.dst, flow.startedAt);
    const key = [sourceOf(flow.src, flow.startedAt).id, destination.id, flow.dport, flow.proto];
    const known = find.get(...key) as FlowRow | undefined;
    if (!known) {
      const facts = [flow.sport, flow.ttl, flow.startedAt, flow.at, joined(null), judged(flow, destination.host)];
      const id = Number(insert.run(...key, ...facts).lastInsertRowid);
      if (flow.agent) {
        knowledge.add(id, flow.agent, true);
      }
      changes.changed(id);
      touchAll(touch, id, flow, () => true);
      return 'added';
    }
    const observers = joined(known.observers);
    const isNewObserver = observers !== known.observers;
    const isNews = (at: number) => isNewObserver || at < known.first || at > known.last;
    const changed = isNews(flow.at) || isNews(flow.startedAt);
    if (flow.agent) {
      knowledge.add(known.id, flow.agent, flow.at >= known.last);
    }
    if (changed) {
      const [sport, ttl] = flow.at >= known.last ? lastOf(known, flow) : lastOf(flow, known);
      const first = Math.min(known.first, flow.startedAt);
      update.run(first, Math.max(known.last, flow.at), sport, ttl, observers, known.id);
    }
    if (changed || flow.agent) {
      changes.changed(known.id);
    }
    const touched = touchAll(touch, known.id, flow, isNews, hourOf(known.last));
    return changed || touched || flow.agent ? 'renewed' : 'unchanged';
  };
  return { write, report: () => ({ threats: threats.sample(), sources: sources.sample() }) };
}

type Ports = Pick<FlowRow, 'sport' | 'ttl'>;

function lastOf(older: Ports, newer: Ports): [sport: number | null, ttl: number | null] {
  return [newer.sport ?? older.sport, newer.ttl ?? older.ttl];
}

type TouchHour = (flowId: number, at: number, observations: 0 | 1) => boolean;

/**
 * Marks the hours in which the flow was seen. A sighting between first and last seen is news when its hour is not that of
 * the last one: Agents deliver late. A start counts no observation.
 */
function touchAll(
  touch: TouchHour,
  flowId: number,
  flow: MergedFlow,
  isNews: (at: number) => boolean,
  lastHour?: number,
): boolean {
  let touched = false;
  const see = (at: number) => {
    if (isNews(at) || hourOf(at) !== lastHour) {
      touched = touch(flowId, at, 1) || touched;
    }
  };
  see(flow.at);
  for (const at of flow.alsoAt) {
    touched = touch(flowId, at, 1) || touched;
  }
  if (flow.startedAt !== flow.at && isNews(flow.startedAt)) {
    touched = touch(flowId, flow.startedAt, 0) || touched;
  }
  return touched;
}

/**
 * Extends the hour of a flow to include `at`; true when that changed it. A new row starts with the values of the pack: it
 * replaces the one there.
 */
function hourToucher(writer: Writer, changes: FlowChanges): TouchHour {
  const packed = packFinder(writer);
  const upsert = writer.prepare(
    `INSERT INTO flow_hour (hour, flow_id, observations, first, last) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (hour, flow_id) DO UPDATE SET
       observations = observations + ?,
       first = min(first, excluded.first),
       last = max(last, excluded.last)
     WHERE excluded.first < first OR excluded.last > last`,
  );
  return (flowId, at, observations) => {
    const hour = hourOf(at);
    const start = hour * hourMs;
    const known = packed(hour, flowId);
    if (known && at >= start + known.first && at <= start + known.last) {
      return false;
    }
    const { observations: before, first, last } = known ?? { observations: 0, first: at - start, last: at - start };
    const span = [Math.min(start + first, at), Math.max(start + last, at)];
    const hasChanged = upsert.run(hour, flowId, before + observations, ...span, observations).changes > 0;
    if (hasChanged) {
      changes.touched(hour, flowId);
    }
    return hasChanged;
  };
}
