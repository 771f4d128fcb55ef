// Writes a merged flow: its row, and the hours it was seen in.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import type { FlowChanges } from '../store/change-log.ts';
import { createDestinationFinder, createSourceFinder } from '../store/dictionary-writer.ts';
import { createSample, type FactProvider, type RecordReport, type ThreatFlow } from '../store/facts.ts';
import { createPackFinder } from '../store/hour-rows.ts';
import type { Recorded } from '../store/observation.ts';
import { createSetJoiner, type ObserverKind } from '../store/observer-set.ts';
import {
  joinTimes,
  type PacketTimes,
  type TimeColumns,
  timeColumns,
  toPacketTimes,
  valuesOf,
} from '../store/uncertainty.ts';
import { createThreatInterner } from '../store/verdicts.ts';
import { createKnowledgeColumns } from './knowledge.ts';
import type { MergedFlow } from './merge.ts';

export interface FlowWriter {
  /** Writes one flow and returns the outcome. */
  write(flow: MergedFlow): keyof Recorded;
  /** What was new so far. */
  report(): RecordReport;
}

interface FlowRow extends TimeColumns {
  id: number;
  sport: number | null;
  ttl: number | null;
  observers: number;
  listedBy: number | null;
}

const setTimes = 'first_early = ?, first_late = ?, last_early = ?, last_late = ?, seen_by = ?, listed_by = ?';

/** How a batch is written. */
export interface FlowWriterOptions {
  /** Without it, new rows have no facts and are safe. */
  factProvider?: FactProvider;
  kind: ObserverKind;
}

/** For the flows that `observer` saw; those of a router are listed by it. */
export function createFlowWriter(
  writer: Writer,
  observer: number,
  changes: FlowChanges,
  { factProvider, kind }: FlowWriterOptions,
): FlowWriter {
  const threats = createSample<ThreatFlow>();
  const sources = createSample<string>();
  const sourceOf = createSourceFinder(writer, factProvider, sources.add);
  const destinationOf = createDestinationFinder(writer, factProvider);
  const threatId = createThreatInterner(writer);
  const joined = createSetJoiner(writer, observer);
  const touch = createHourToucher(writer, changes);
  const knowledge = createKnowledgeColumns(writer);
  const find = writer.prepare(
    `SELECT id, ${timeColumns}, sport, ttl, observer_set_id AS observers, listed_by AS listedBy
     FROM flow WHERE source_id = ? AND destination_id = ? AND dport = ? AND proto = ?`,
  );
  const insert = writer.prepare(
    `INSERT INTO flow (source_id, destination_id, dport, proto, sport, ttl, first_seen, last_seen, observer_set_id,
       threat_id, first_early, first_late, last_early, last_late, seen_by, listed_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = writer.prepare(
    `UPDATE flow SET first_seen = ?, last_seen = ?, sport = ?, ttl = ?, observer_set_id = ?, ${setTimes} WHERE id = ?`,
  );
  const updateTimes = writer.prepare(`UPDATE flow SET ${setTimes} WHERE id = ?`);
  const listed = (set: number | null) => (kind === 'agent' ? set : joined(set));

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
      const times = valuesOf(flow.times ?? null, flow.startedAt, flow.at);
      const id = Number(insert.run(...key, ...facts, ...times, listed(null)).lastInsertRowid);
      if (flow.agent) {
        knowledge.add(id, flow.agent, true);
      }
      changes.changed(id);
      touchHours(touch, id, flow, () => true);
      return 'added';
    }
    const observers = joined(known.observers);
    const isNewObserver = observers !== known.observers;
    const isNews = (at: number) => isNewObserver || at < known.first || at > known.last;
    const changed = isNews(flow.at) || isNews(flow.startedAt);
    const [first, last] = [Math.min(known.first, flow.startedAt), Math.max(known.last, flow.at)];
    if (flow.agent) {
      knowledge.add(known.id, flow.agent, flow.at >= known.last);
    }
    const before = flow.times ? toPacketTimes(known) : null;
    const times = flow.times ? mergeTimes(before, flow.times, known, isNewObserver) : null;
    const listedBy = listed(known.listedBy);
    const columns = () => [...valuesOf(times, first, last), listedBy];
    if (changed) {
      const [sport, ttl] = flow.at >= known.last ? preferNewer(known, flow) : preferNewer(flow, known);
      update.run(first, last, sport, ttl, observers, ...columns(), known.id);
    } else if (listedBy !== known.listedBy || isLater(times, before)) {
      updateTimes.run(...columns(), known.id);
    }
    if (changed || flow.agent) {
      changes.changed(known.id);
    }
    const touched = touchHours(touch, known.id, flow, isNews, hourOf(known.last));
    return changed || touched || flow.agent ? 'renewed' : 'unchanged';
  };
  return { write, report: () => ({ threats: threats.sample(), sources: sources.sample() }) };
}

/**
 * What is known with this batch. A session of unknown age does not make the first packet less certain when its router had
 * seen the flow before: the flow was not listed when it was seen first.
 */
function mergeTimes(
  before: PacketTimes | null,
  times: PacketTimes,
  known: Pick<FlowRow, 'first' | 'last'>,
  isNewObserver: boolean,
): PacketTimes {
  if (before === null) {
    // Recorded before times were: the first packet was not later than it was seen.
    const { first, last } = times;
    return {
      first: { ...first, from: null, to: Math.min(known.first, first.to) },
      last: { ...last, to: Math.max(known.last, last.to) },
    };
  }
  const joint = joinTimes(before, times);
  return times.first.from === null && !isNewObserver ? { ...joint, first: before.first } : joint;
}

/** Whether the last packet may be later than is stored. A table without timers says so with each read, and is not stored again. */
function isLater(times: PacketTimes | null, before: PacketTimes | null): boolean {
  if (times === null || before === null) {
    return times !== before;
  }
  return times.last.to > before.last.to && (times.last.by !== 'poll' || before.last.by !== 'poll');
}

type Ports = Pick<FlowRow, 'sport' | 'ttl'>;

function preferNewer(older: Ports, newer: Ports): [sport: number | null, ttl: number | null] {
  return [newer.sport ?? older.sport, newer.ttl ?? older.ttl];
}

type TouchHour = (flowId: number, at: number, observations: 0 | 1) => boolean;

/**
 * Marks the hours in which the flow was seen. A sighting between first and last seen is news when its hour is not that of
 * the last one: Agents deliver late. A start counts no observation.
 */
function touchHours(
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
    touch(flowId, flow.startedAt, 0);
  }
  return touched;
}

/**
 * Extends the hour of a flow to include `at`; true when that changed it. A new row starts with the values of the pack: it
 * replaces the one there.
 */
function createHourToucher(writer: Writer, changes: FlowChanges): TouchHour {
  const packed = createPackFinder(writer);
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
