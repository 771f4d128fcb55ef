// Reads one connection and what belongs to it.
import type { ConnectionDetail, ConnectionKey } from '#contract/connection-detail.ts';
import type { Connection } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs, hourMs, hourOf } from '#kernel/time/time.ts';
import type { StoredRetro } from '../../../identify/threat/retro-evidence.ts';
import { createPaths } from '../query/path.ts';
import { type ConnectionRow, connectionColumns, readRowLabels, toConnection } from '../query/row.ts';
import { toUncertainty, type UncertaintyRow, uncertaintyColumns } from '../query/uncertainty.ts';
import { HourRows } from '../store/hour-pack.ts';
import { createHourFinder, findHours, readHourFlows } from '../store/hour-rows.ts';

/** What a service outside the local data answered about the destination. */
export interface StoredAnswer {
  kind: 'dns' | 'ptr' | 'rdap' | 'geo';
  at: number;
  host: string | null;
  country: string | null;
  org: string | null;
  lat: number | null;
  city: string | null;
}

/** The device that held an address, and the router that said so. */
export interface Holder extends NonNullable<ConnectionDetail['device']> {
  routerId: string;
  routerName: string | null;
}

export interface StoredDetail
  extends Pick<ConnectionDetail, 'connection' | 'uncertainty' | 'hours' | 'hoursSince' | 'observers' | 'path'> {
  answers: StoredAnswer[];
  holder: Holder | null;
  /** The Agent whose machine had the source address at the last sighting. */
  agentId: string | null;
  /** The change of the threat lists that made the connection a threat after it had been recorded. */
  retro: StoredRetro | null;
}

/** Hours of this many days before the last sighting are listed: reading an hour of the log costs 0.05 ms. */
const hoursDays = 90;

/** Returns null when the log has no such connection. */
export function readDetail(reader: Reader, { src, dst, dport, proto }: ConnectionKey): StoredDetail | null {
  const row = reader
    .prepare(
      `SELECT f.id, f.destination_id AS destinationId, ${connectionColumns}, ${uncertaintyColumns}
       FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
       WHERE s.address = ? AND d.address = ? AND f.dport = ? AND f.proto = ?`,
    )
    .get(src, dst, dport, proto) as
    | (ConnectionRow & UncertaintyRow & { id: number; destinationId: number })
    | undefined;
  if (row === undefined) {
    return null;
  }
  const labels = readRowLabels(reader);
  const connection = toConnection(row, labels);
  const agent = findAgent(reader, connection);
  return {
    connection,
    uncertainty: toUncertainty(row, labels),
    ...readHours(reader, row.id, connection),
    observers: [
      ...readRouters(reader, connection.observedBy),
      ...(agent ? [{ ...agent, kind: 'agent' as const }] : []),
    ],
    path: createPaths(reader).find(row.id, connection),
    answers: readAnswers(reader, row.destinationId),
    holder: findHolder(reader, connection),
    agentId: agent?.id ?? null,
    retro: findRetroMatch(reader, row.id),
  };
}

function readHours(reader: Reader, flow: number, { firstSeen, lastSeen }: Connection) {
  const since = Math.max(hourOf(firstSeen), hourOf(lastSeen - hoursDays * dayMs));
  const rows = new HourRows();
  const find = createHourFinder(reader);
  const hours = findHours(reader, since, hourOf(lastSeen)).flatMap((hour) => {
    // Reading the flows of an hour is fast, reading their sightings is slow.
    readHourFlows(reader, hour, rows);
    const seen = rows.find(flow) === null ? null : find(hour, flow);
    const start = hour * hourMs;
    return seen === null
      ? []
      : [{ hour: start, observations: seen.observations, firstSeen: start + seen.first, lastSeen: start + seen.last }];
  });
  return { hours, hoursSince: since > hourOf(firstSeen) ? since * hourMs : null };
}

/** The last name of a router, also of a removed one. */
const selectRouterName = (id: string) => `(SELECT name FROM coverage_subject WHERE kind = 'router' AND key = ${id})`;

function readRouters(reader: Reader, ids: readonly string[]): ConnectionDetail['observers'] {
  const find = reader.prepare(
    `SELECT router_id AS id, kind, ${selectRouterName('o.router_id')} AS name FROM observer o WHERE router_id = ?`,
  );
  return ids.map((id) => find.get(id) as ConnectionDetail['observers'][number]);
}

function findAgent(reader: Reader, { src, lastSeen, firstSeen }: Connection): { id: string; name: string } | null {
  const row = reader
    .prepare(
      `SELECT a.agent_id AS id, a.host_name AS name FROM agent_address p JOIN agent a ON a.id = p.agent
       WHERE p.address = ? AND p.first_at <= ? AND p.last_at >= ? ORDER BY p.last_at DESC LIMIT 1`,
    )
    .get(src, lastSeen, firstSeen);
  return (row as { id: string; name: string } | undefined) ?? null;
}

function findRetroMatch(reader: Reader, flow: number): StoredRetro | null {
  const row = reader
    .prepare('SELECT feed, cause, previous_at AS previousAt, listed_at AS listedAt FROM retro_match WHERE flow_id = ?')
    .get(flow);
  return (row as StoredRetro | undefined) ?? null;
}

function readAnswers(reader: Reader, destination: number): StoredAnswer[] {
  return reader
    .prepare('SELECT kind, at, host, country, org, lat, city FROM destination_answer WHERE destination_id = ?')
    .all(destination) as StoredAnswer[];
}

function findHolder(reader: Reader, { src, lastSeen }: Connection): Holder | null {
  const row = reader
    .prepare(
      `SELECT r.device_id AS deviceId, coalesce(r.dns_name, r.mdns_name, r.netbios_name, l.name) AS name, l.mac,
         i.vendor, l.since, l.until, l.observer_id AS routerId,
         ${selectRouterName('l.observer_id')} AS routerName
       FROM lease l JOIN device d ON d.id = l.device JOIN device r ON r.id = d.root LEFT JOIN interface i ON i.mac = l.mac
       WHERE l.address = ? AND (l.until IS NULL OR l.until > ?) ORDER BY l.since LIMIT 1`,
    )
    .get(src, lastSeen);
  return (row as Holder | undefined) ?? null;
}
