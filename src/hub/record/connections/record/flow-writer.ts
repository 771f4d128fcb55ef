// Writes a merged flow: its row, and the hours it was seen in.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import type { FlowChanges } from '../store/change-log.ts';
import { createDestinationFinder, createSourceFinder } from '../store/dictionary-writer.ts';
import { createSample, type FactProvider, type ThreatFlow } from '../store/facts.ts';
import { createPackFinder } from '../store/hour-rows.ts';
import { createSetJoiner, type ObserverKind } from '../store/observer-set.ts';
import {
  joinTimes,
  type PacketTimes,
  type TimeColumns,
  timeColumns,
  toPacketTimes,
  toTimeColumns,
} from '../store/uncertainty.ts';
import { createThreatInterner } from '../store/verdicts.ts';
import { createKnowledgeColumns } from './knowledge.ts';
import type { MergedFlow } from './merge.ts';

interface FlowRow extends TimeColumns {
  id: number;
  sport: number | null;
  ttl: number | null;
  observers: number;
  listedBy: number | null;
}

const timeUpdates = `first_early = @firstEarly, first_late = @firstLate, last_early = @lastEarly, last_late = @lastLate,
  seen_by = @seenBy, listed_by = @listedBy`;

/** How a batch is written. */
export interface FlowWriterOptions {
  /** Without it, new rows have no facts and are safe. */
  factProvider?: FactProvider;
  kind: ObserverKind;
}

/** Writes flows that `observer` saw; a router also lists them. */
export function createFlowWriter(
  writer: Writer,
  observer: number,
  changes: FlowChanges,
  { factProvider, kind }: FlowWriterOptions,
) {
  const threats = createSample<ThreatFlow>();
  const sources = createSample<string>();
  const findSource = createSourceFinder(writer, factProvider, sources.add);
  const findDestination = createDestinationFinder(writer, factProvider);
  const internThreat = createThreatInterner(writer);
  const joinSet = createSetJoiner(writer, observer);
  const touch = createHourToucher(writer, changes);
  const knowledge = createKnowledgeColumns(writer);
  const find = writer.prepare(
    `SELECT id, ${timeColumns}, sport, ttl, observer_set_id AS observers, listed_by AS listedBy
     FROM flow WHERE source_id = ? AND destination_id = ? AND dport = ? AND proto = ?`,
  );
  const insert = writer.prepare(
    `INSERT INTO flow (source_id, destination_id, dport, proto, sport, ttl, first_seen, last_seen, observer_set_id,
       threat_id, first_early, first_late, last_early, last_late, seen_by, listed_by)
     VALUES (@source, @destination, @dport, @proto, @sport, @ttl, @first, @last, @observers,
       @threat, @firstEarly, @firstLate, @lastEarly, @lastLate, @seenBy, @listedBy)`,
  );
  const update = writer.prepare(
    `UPDATE flow SET first_seen = @first, last_seen = @last, sport = @sport, ttl = @ttl, observer_set_id = @observers,
       ${timeUpdates} WHERE id = @id`,
  );
  const updateTimes = writer.prepare(`UPDATE flow SET ${timeUpdates} WHERE id = @id`);
  const list = (set: number | null) => (kind === 'agent' ? set : joinSet(set));

  const judge = ({ src, dst, dport, proto }: MergedFlow, host: string | null) => {
    const threat = factProvider?.judge({ dst, dport, proto, host }) ?? null;
    if (threat) {
      threats.add({ src, dst, dport, proto, threat });
    }
    return internThreat(threat);
  };

  const add = (flow: MergedFlow, source: number, destination: { id: number; host: string | null }): 'added' => {
    const { dport, proto, sport, ttl } = flow;
    const { lastInsertRowid } = insert.run({
      source,
      destination: destination.id,
      dport,
      proto,
      sport,
      ttl,
      observers: joinSet(null),
      threat: judge(flow, destination.host),
      listedBy: list(null),
      ...toTimeColumns(flow.times ?? null, flow.startedAt, flow.at),
    });
    const id = Number(lastInsertRowid);
    if (flow.agent) {
      knowledge.add(id, flow.agent, true);
    }
    changes.changed(id);
    touchHours(touch, id, flow, () => true);
    return 'added';
  };

  const renew = (flow: MergedFlow, known: FlowRow): 'renewed' | 'unchanged' => {
    const { id } = known;
    const observers = joinSet(known.observers);
    const isNewObserver = observers !== known.observers;
    const isNews = (at: number) => isNewObserver || at < known.first || at > known.last;
    const changed = isNews(flow.at) || isNews(flow.startedAt);
    if (flow.agent) {
      knowledge.add(id, flow.agent, flow.at >= known.last);
    }
    const before = flow.times ? toPacketTimes(known) : null;
    const times = flow.times ? mergeTimes(before, flow.times, known, isNewObserver) : null;
    const listedBy = list(known.listedBy);
    if (changed || listedBy !== known.listedBy || isLater(times, before)) {
      const first = Math.min(known.first, flow.startedAt);
      const last = Math.max(known.last, flow.at);
      const columns = { id, listedBy, ...toTimeColumns(times, first, last) };
      if (changed) {
        const ports = flow.at >= known.last ? preferNewer(known, flow) : preferNewer(flow, known);
        update.run({ ...columns, ...ports, observers });
      } else {
        updateTimes.run(columns);
      }
    }
    if (changed || flow.agent) {
      changes.changed(id);
    }
    const touched = touchHours(touch, id, flow, isNews, hourOf(known.last));
    return changed || touched || flow.agent ? 'renewed' : 'unchanged';
  };

  return {
    /** Writes one flow and returns the outcome. */
    write(flow: MergedFlow) {
      const destination = findDestination(flow.dst, flow.startedAt);
      const source = findSource(flow.src, flow.startedAt).id;
      const known = find.get(source, destination.id, flow.dport, flow.proto) as FlowRow | undefined;
      return known ? renew(flow, known) : add(flow, source, destination);
    },
    /** Returns what was new in the flows written so far. */
    report: () => ({ threats: threats.sample(), sources: sources.sample() }),
  };
}

/**
 * Merges the times of a batch into those that were stored. A session of unknown age does not make the first packet less
 * certain when its router had seen the flow before: the flow was not listed when it was seen first.
 */
function mergeTimes(
  before: PacketTimes | null,
  times: PacketTimes,
  known: Pick<FlowRow, 'first' | 'last'>,
  isNewObserver: boolean,
): PacketTimes {
  if (before === null) {
    // A version without packet times recorded the flow: the first packet was not later than it was seen.
    const { first, last } = times;
    return {
      first: { ...first, from: null, to: Math.min(known.first, first.to) },
      last: { ...last, to: Math.max(known.last, last.to) },
    };
  }
  const joint = joinTimes(before, times);
  return times.first.from === null && !isNewObserver ? { ...joint, first: before.first } : joint;
}

/** Whether the last packet may be later than stored. Each read of a table without timers says so and is not stored again. */
function isLater(times: PacketTimes | null, before: PacketTimes | null): boolean {
  if (times === null || before === null) {
    return times !== before;
  }
  return times.last.to > before.last.to && (times.last.by !== 'poll' || before.last.by !== 'poll');
}

type Ports = Pick<FlowRow, 'sport' | 'ttl'>;

function preferNewer(older: Ports, newer: Ports): Ports {
  return { sport: newer.sport ?? older.sport, ttl: newer.ttl ?? older.ttl };
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
