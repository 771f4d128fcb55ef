// Judges flows of the log again after the feeds have changed.
import type { Threat } from '#contract/model.ts';
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { createFlowChanges } from '../store/change-log.ts';
import { createSample, type Judge, type Sample, type ThreatFlow } from '../store/facts.ts';
import { createThreatInterner } from '../store/verdicts.ts';

export interface RejudgeOptions {
  judge: Judge;
  /** Canonical addresses whose flows are judged, or the whole log. */
  destinations: Iterable<string> | 'all';
  /** Called in each transaction; what it returns is called with each flow whose verdict changes in it. */
  noter?: VerdictNoter;
  /** An abort rejects with its reason; what is judged stays judged. */
  signal?: AbortSignal;
}

export type VerdictNoter = (writer: Writer) => (flow: ChangedVerdict) => void;

/** A flow whose verdict has changed. */
export interface ChangedVerdict {
  id: number;
  sourceId: number;
  destinationId: number;
  /** Epoch milliseconds. */
  firstSeen: number;
  /** The level of the verdict before: 0 safe, 1 warn, 2 danger. */
  rankBefore: 0 | 1 | 2;
  threat: Threat | null;
}

export interface RejudgeReport {
  /** Flows that were judged. */
  judged: number;
  /** Flows whose verdict changed. */
  changed: number;
  /** Flows with a new verdict other than safe. */
  threats: Sample<ThreatFlow>;
}

interface FlowToJudge {
  id: number;
  src: string;
  dst: string;
  dport: number;
  proto: string;
  host: string | null;
  threatId: number | null;
}

/** Flows of a page, and pages of a transaction. Polls run between transactions. */
const pageFlows = 200;
const pagesAtOnce = 10;

/** Looked up only for flows that change, before the update: most judged flows keep their verdict. */
const changedColumns = `SELECT f.id, f.source_id AS sourceId, f.destination_id AS destinationId, f.first_seen AS firstSeen,
    coalesce(t.level, 0) AS rankBefore
  FROM flow f LEFT JOIN threat t ON t.id = f.threat_id WHERE f.id = +?`;

/** Judges the flows of `destinations` again, then deletes verdicts without flows. */
export async function rejudgeFlows(
  db: Db,
  { judge, destinations, noter, signal }: RejudgeOptions,
): Promise<RejudgeReport> {
  const counts = { judged: 0, changed: 0 };
  const threats = createSample<ThreatFlow>();
  const next = createPageReader(destinations);
  let isLast = false;
  while (!isLast) {
    signal?.throwIfAborted();
    await db.write(function* (writer) {
      const changes = createFlowChanges(writer);
      const internThreat = createThreatInterner(writer);
      const note = noter?.(writer);
      const find = writer.prepare(changedColumns);
      const update = writer.prepare('UPDATE flow SET threat_id = ? WHERE id = ?');
      for (let page = 0; page < pagesAtOnce && !isLast; page += 1) {
        const flows = next(writer);
        isLast = flows === null;
        for (const { id, src, dst, dport, proto, host, threatId: before } of flows ?? []) {
          const threat = judge({ dst, dport, proto, host });
          const after = internThreat(threat);
          counts.judged += 1;
          if (after === before) {
            continue;
          }
          counts.changed += 1;
          note?.({ ...(find.get(id) as Omit<ChangedVerdict, 'threat'>), threat });
          update.run(after, id);
          changes.changed(id);
          if (threat) {
            threats.add({ src, dst, dport, proto, threat });
          }
        }
        yield;
      }
      changes.save();
    });
  }
  await db.write(deleteUnused);
  return { ...counts, threats: threats.sample() };
}

/** Each call returns the next page of flows, which may be empty at the end of a destination; null after the last. */
function createPageReader(destinations: Iterable<string> | 'all'): (writer: Writer) => FlowToJudge[] | null {
  const addresses = destinations === 'all' ? null : destinations[Symbol.iterator]();
  const cursor = { destination: 0, isOpen: false, flow: 0 };
  const open = (writer: Writer): boolean => {
    const row =
      addresses === null ? findDestinationAfter(writer, cursor.destination) : findNextDestination(writer, addresses);
    Object.assign(cursor, { destination: row ?? cursor.destination, isOpen: row !== undefined, flow: 0 });
    return cursor.isOpen;
  };
  return (writer) => {
    if (!cursor.isOpen && !open(writer)) {
      return null;
    }
    const flows = writer
      .prepare(
        `SELECT f.id, s.address AS src, d.address AS dst, f.dport, f.proto, d.host, f.threat_id AS threatId
         FROM flow f INDEXED BY flow_destination JOIN source s ON s.id = f.source_id
         JOIN destination d ON d.id = f.destination_id
         WHERE f.destination_id = +? AND f.id > +? ORDER BY f.id LIMIT ${pageFlows}`,
      )
      .all(cursor.destination, cursor.flow) as FlowToJudge[];
    cursor.flow = flows.at(-1)?.id ?? 0;
    cursor.isOpen = flows.length === pageFlows;
    return flows;
  };
}

function findDestinationAfter(writer: Writer, id: number): number | undefined {
  const row = writer.prepare('SELECT id FROM destination WHERE id > ? ORDER BY id LIMIT 1').get(id);
  return (row as { id: number } | undefined)?.id;
}

/** The next of `addresses` that the log knows. */
function findNextDestination(writer: Writer, addresses: Iterator<string>): number | undefined {
  const find = writer.prepare('SELECT id FROM destination WHERE address = ?');
  for (let next = addresses.next(); !next.done; next = addresses.next()) {
    const row = find.get(next.value) as { id: number } | undefined;
    if (row) {
      return row.id;
    }
  }
  return undefined;
}

function deleteUnused(writer: Writer): void {
  writer.prepare('DELETE FROM threat WHERE id NOT IN (SELECT threat_id FROM flow WHERE threat_id IS NOT NULL)').run();
}
