// Cards of retro-matches: one for each device and destination, of all its flows that ran before.
import { limits } from '#contract/limits.ts';
import type { Threat } from '#contract/model.ts';
import type { ListChange, RetroMatch } from '#contract/retro-match.ts';
import type { Reader, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Detected } from './detection-log.ts';

/** What is detected of a device and a destination, at the time it is raised. */
export interface RetroCard extends Detected {
  dst: string;
  threat: Threat;
  retro: RetroMatch;
}

export interface CardOptions {
  /** Epoch milliseconds. */
  now: number;
  /** How recent the traffic of a contact is that goes on. */
  ongoingMs: number;
}

interface Pair {
  sourceId: number;
  destinationId: number;
}

interface RetroFlow extends ListChange, Pick<RetroMatch, 'feed' | 'firstSeen' | 'lastSeen'>, Omit<Threat, 'level'> {
  flow: number;
  dport: number;
  proto: string;
  rank: 1 | 2;
}

/** Flows of a step. */
const flowsAtOnce = 200;

/** At most `most` devices and destinations without a card. */
export function readPairsWithoutCard(reader: Pick<Reader, 'prepare'>, most: number): Pair[] {
  return reader
    .prepare(
      `SELECT DISTINCT source_id AS sourceId, destination_id AS destinationId
       FROM retro_match WHERE pending = 1 ORDER BY source_id, destination_id LIMIT ?`,
    )
    .all(most) as Pair[];
}

/** The card of a pair, whose flows are not pending any more; null when none of them is a threat. */
export function* takeCard(writer: Writer, pair: Pair, { now, ongoingMs }: CardOptions): WriteSteps<RetroCard | null> {
  const all = { flows: 0, firstSeen: Number.POSITIVE_INFINITY, lastSeen: 0 };
  let first: RetroFlow[] = [];
  for (let last = 0, rows = flowsAtOnce; rows === flowsAtOnce; ) {
    const page = readPage(writer, pair, last);
    for (const { flow, firstSeen, lastSeen } of page) {
      all.flows += 1;
      all.firstSeen = Math.min(all.firstSeen, firstSeen);
      all.lastSeen = Math.max(all.lastSeen, lastSeen);
      last = flow;
    }
    first = [...first, ...page].sort(compareSeverity).slice(0, limits.retroMatchConnections);
    rows = page.length;
    yield;
  }
  yield* markDone(writer, pair);
  const [worst] = first;
  if (!worst) {
    return null;
  }
  const src = readAddress(writer, 'source', pair.sourceId);
  const dst = readAddress(writer, 'destination', pair.destinationId);
  const { dport, proto, rank, confidence, source, tag, matchType, matchValue, port, url } = worst;
  const { feed, cause, previousAt, listedAt } = worst;
  const level = rank === 2 ? 'danger' : 'warn';
  const connections = first.map((one) => ({
    id: [src, dst, one.dport, one.proto].join(),
    firstSeen: one.firstSeen,
    lastSeen: one.lastSeen,
  }));
  return {
    type: 'retro_match',
    at: now,
    src,
    dst,
    dport,
    proto,
    threat: { level, confidence, source, tag, matchType, matchValue, port, url },
    retro: {
      ...all,
      connections,
      feed,
      cause,
      previousAt,
      listedAt,
      level,
      isOngoing: all.lastSeen >= now - ongoingMs,
    },
  };
}

function readPage(writer: Writer, { sourceId, destinationId }: Pair, after: number): RetroFlow[] {
  return writer
    .prepare(
      `SELECT r.flow_id AS flow, f.dport, f.proto, f.first_seen AS firstSeen, f.last_seen AS lastSeen, r.feed, r.cause,
         r.previous_at AS previousAt, r.listed_at AS listedAt, t.level AS rank, t.confidence, t.source, t.tag,
         t.match_type AS matchType, t.match_value AS matchValue, t.port, t.url
       FROM retro_match r JOIN flow f ON f.id = r.flow_id JOIN threat t ON t.id = f.threat_id
       WHERE r.pending = 1 AND r.source_id = ? AND r.destination_id = ? AND r.flow_id > ? ORDER BY r.flow_id LIMIT ?`,
    )
    .all(sourceId, destinationId, after, flowsAtOnce) as RetroFlow[];
}

function* markDone(writer: Writer, { sourceId, destinationId }: Pair): WriteSteps<void> {
  const mark = writer.prepare(
    `UPDATE retro_match SET pending = 0 WHERE flow_id IN (
       SELECT flow_id FROM retro_match WHERE pending = 1 AND source_id = ? AND destination_id = ? LIMIT ${flowsAtOnce})`,
  );
  while (mark.run(sourceId, destinationId).changes > 0) {
    yield;
  }
}

function readAddress(writer: Writer, table: 'source' | 'destination', id: number): string {
  return (writer.prepare(`SELECT address FROM ${table} WHERE id = ?`).get(id) as { address: string }).address;
}

/** The most severe first, then the latest; the sort is stable, so equal ones stay in the order of their flows. */
function compareSeverity(a: RetroFlow, b: RetroFlow): number {
  return b.rank - a.rank || b.lastSeen - a.lastSeen;
}
