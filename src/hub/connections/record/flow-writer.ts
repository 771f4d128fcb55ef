// One merged flow into the database: its row, and the hours it was seen in.
import type { Writer } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time.ts';
import type { FlowChanges } from '../store/change-log.ts';
import { describedDestinations, describedSources } from '../store/dictionary-writer.ts';
import { createNotes, type Knowledge, type RecordReport, type ThreatFlow } from '../store/facts.ts';
import { packFinder } from '../store/hour-rows.ts';
import type { Recorded } from '../store/observation.ts';
import { joinSets } from '../store/observer-set.ts';
import { threatIds } from '../store/verdicts.ts';
import type { MergedFlow } from './merge.ts';

export interface FlowWriter {
  /** Writes one flow and says what became of it. */
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

/** Prepares to write the flows that `observer` saw. Without knowledge, what is new is not described, and safe. */
export function createFlowWriter(
  writer: Writer,
  observer: number,
  changes: FlowChanges,
  knowledge?: Knowledge,
): FlowWriter {
  const threats = createNotes<ThreatFlow>();
  const sources = createNotes<string>();
  const sourceOf = describedSources(writer, knowledge, sources.note);
  const destinationOf = describedDestinations(writer, knowledge);
  const threatId = threatIds(writer);
  const joined = joinSets(writer, observer);
  const touch = hourToucher(writer, changes);
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
    const threat = knowledge?.judge({ dst, dport, proto, host }) ?? null;
    if (threat) {
      threats.note({ src, dst, dport, proto, threat });
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
      changes.changed(id);
      touchAll(touch, id, flow, () => true);
      return 'added';
    }
    const observers = joined(known.observers);
    const isNewObserver = observers !== known.observers;
    const isUntold = (at: number) => isNewObserver || at < known.first || at > known.last;
    const changed = isUntold(flow.at) || isUntold(flow.startedAt);
    if (changed) {
      const [sport, ttl] = flow.at >= known.last ? lastOf(known, flow) : lastOf(flow, known);
      const first = Math.min(known.first, flow.startedAt);
      update.run(first, Math.max(known.last, flow.at), sport, ttl, observers, known.id);
      changes.changed(known.id);
    }
    const touched = touchAll(touch, known.id, flow, isUntold, hourOf(known.last));
    return changed || touched ? 'renewed' : 'unchanged';
  };
  return { write, report: () => ({ threats: threats.noted(), sources: sources.noted() }) };
}

type Ports = Pick<FlowRow, 'sport' | 'ttl'>;

function lastOf(older: Ports, newer: Ports): [sport: number | null, ttl: number | null] {
  return [newer.sport ?? older.sport, newer.ttl ?? older.ttl];
}

type TouchHour = (flowId: number, at: number, observations: 0 | 1) => boolean;

/**
 * Marks the hours in which the flow showed traffic. A sighting between first and last seen can still be news, when its
 * hour is not that of the last one: Agents deliver late. A start counts no observation of its own.
 */
function touchAll(
  touch: TouchHour,
  flowId: number,
  flow: MergedFlow,
  isUntold: (at: number) => boolean,
  lastHour?: number,
): boolean {
  let touched = false;
  const see = (at: number) => {
    if (isUntold(at) || hourOf(at) !== lastHour) {
      touched = touch(flowId, at, 1) || touched;
    }
  };
  see(flow.at);
  for (const at of flow.alsoAt) {
    touched = touch(flowId, at, 1) || touched;
  }
  if (flow.startedAt !== flow.at && isUntold(flow.startedAt)) {
    touched = touch(flowId, flow.startedAt, 0) || touched;
  }
  return touched;
}

/**
 * Widens a flow's hour to hold `at`; true when that was news. What a pack tells of the flow is put into the row whole: the
 * row takes its place.
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
    const isNews = upsert.run(hour, flowId, before + observations, ...span, observations).changes > 0;
    if (isNews) {
      changes.touched(hour, flowId);
    }
    return isNews;
  };
}
