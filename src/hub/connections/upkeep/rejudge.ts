// Verdicts of flows that are in the log already, made anew when what is listed has changed.
import type { Db, Writer } from '#kernel/sqlite.ts';
import { createFlowChanges } from '../store/change-log.ts';
import { createNotes, type Judge, type Noted, type ThreatFlow } from '../store/facts.ts';
import { threatIds } from '../store/verdicts.ts';

export interface Rejudging {
  judge: Judge;
  /** Canonical addresses whose flows are judged, or those of the whole log. */
  destinations: Iterable<string> | 'all';
  /** Aborting keeps what is judged so far and rejects with its reason. */
  signal?: AbortSignal;
}

export interface Rejudged {
  /** Flows that were looked at. */
  judged: number;
  /** Flows whose verdict became another, or went. */
  changed: number;
  /** Flows that are not safe, by a verdict they did not have before. */
  threats: Noted<ThreatFlow>;
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

/** Flows read at once, and such pieces of one transaction: polls come in between. */
const pieceFlows = 200;
const piecesAtOnce = 10;

/** Judges the flows of `destinations` again. Verdicts that no flow has any more are forgotten. */
export async function rejudgeFlows(db: Db, { judge, destinations, signal }: Rejudging): Promise<Rejudged> {
  const counts = { judged: 0, changed: 0 };
  const threats = createNotes<ThreatFlow>();
  const next = piecesOf(destinations);
  let isLast = false;
  while (!isLast) {
    signal?.throwIfAborted();
    await db.write(function* (writer) {
      const changes = createFlowChanges(writer);
      const threatId = threatIds(writer);
      const update = writer.prepare('UPDATE flow SET threat_id = ? WHERE id = ?');
      for (let piece = 0; piece < piecesAtOnce && !isLast; piece += 1) {
        const flows = next(writer);
        isLast = flows === null;
        for (const { id, src, dst, dport, proto, host, threatId: before } of flows ?? []) {
          const threat = judge({ dst, dport, proto, host });
          const after = threatId(threat);
          counts.judged += 1;
          if (after !== before) {
            counts.changed += 1;
            update.run(after, id);
            changes.changed(id);
          }
          if (after !== before && threat) {
            threats.note({ src, dst, dport, proto, threat });
          }
        }
        yield;
      }
      changes.save();
    });
  }
  await db.write(forgetUnused);
  return { ...counts, threats: threats.noted() };
}

/** Some flows more of the destinations with each call, none when a destination has no more of them; `null` at the end. */
function piecesOf(destinations: Iterable<string> | 'all'): (writer: Writer) => FlowToJudge[] | null {
  const addresses = destinations === 'all' ? null : destinations[Symbol.iterator]();
  const place = { destination: 0, isOpen: false, flow: 0 };
  const open = (writer: Writer): boolean => {
    const row = addresses === null ? destinationAfter(writer, place.destination) : destinationNamed(writer, addresses);
    Object.assign(place, { destination: row ?? place.destination, isOpen: row !== undefined, flow: 0 });
    return place.isOpen;
  };
  return (writer) => {
    if (!place.isOpen && !open(writer)) {
      return null;
    }
    const flows = writer
      .prepare(
        `SELECT f.id, s.address AS src, d.address AS dst, f.dport, f.proto, d.host, f.threat_id AS threatId
         FROM flow f INDEXED BY flow_destination JOIN source s ON s.id = f.source_id
         JOIN destination d ON d.id = f.destination_id
         WHERE f.destination_id = ? AND f.id > ? ORDER BY f.id LIMIT ?`,
      )
      .all(place.destination, place.flow, pieceFlows) as FlowToJudge[];
    place.flow = flows.at(-1)?.id ?? 0;
    place.isOpen = flows.length === pieceFlows;
    return flows;
  };
}

function destinationAfter(writer: Writer, id: number): number | undefined {
  const row = writer.prepare('SELECT id FROM destination WHERE id > ? ORDER BY id LIMIT 1').get(id);
  return (row as { id: number } | undefined)?.id;
}

/** The next of `addresses` that the log knows. */
function destinationNamed(writer: Writer, addresses: Iterator<string>): number | undefined {
  const find = writer.prepare('SELECT id FROM destination WHERE address = ?');
  for (let next = addresses.next(); !next.done; next = addresses.next()) {
    const row = find.get(next.value) as { id: number } | undefined;
    if (row) {
      return row.id;
    }
  }
  return undefined;
}

function forgetUnused(writer: Writer): void {
  writer.prepare('DELETE FROM threat WHERE id NOT IN (SELECT threat_id FROM flow WHERE threat_id IS NOT NULL)').run();
}
