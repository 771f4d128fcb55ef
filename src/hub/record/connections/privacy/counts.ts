// Counts the connections of marked sources, by hour and device, without their destinations.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import type { Base } from '../../../base/feature.ts';
import { createSourceFinder } from '../store/dictionary-writer.ts';
import type { FactProvider } from '../store/facts.ts';
import type { Observation } from '../store/observation.ts';
import type { Mark } from './marks.ts';

export interface Unkept {
  observation: Observation;
  mark: Mark;
}

interface Counted {
  hour: number;
  holder: string;
  connections: number;
  bytesIn: bigint | null;
  bytesOut: bigint | null;
  lastAt: number;
}

interface Context {
  routerId: string;
  now: number;
  factProvider: FactProvider;
}

/**
 * Adds the sessions that began to the counts. What routers list of a session that a read showed before counts nothing:
 * only that it was there. The sources are noted, so that a device becomes known by its address.
 */
export function writeUnkept(writer: Writer, unkept: readonly Unkept[], { routerId, now, factProvider }: Context): void {
  if (unkept.length === 0) {
    return;
  }
  const observer = writer.prepare('SELECT id FROM observer WHERE router_id = ?').pluck().get(routerId) as number;
  const findSource = createSourceFinder(writer, factProvider, () => undefined);
  const find = writer.prepare(
    'SELECT bytes_in AS bytesIn, bytes_out AS bytesOut FROM unkept_hour WHERE (hour, holder, observer) = (?, ?, ?)',
  );
  const save = writer.prepare(
    `INSERT INTO unkept_hour (hour, holder, observer, connections, bytes_in, bytes_out, last_at)
     VALUES (@hour, @holder, @observer, @connections, @bytesIn, @bytesOut, @lastAt)
     ON CONFLICT (hour, holder, observer) DO UPDATE SET connections = connections + excluded.connections,
       bytes_in = excluded.bytes_in, bytes_out = excluded.bytes_out, last_at = max(last_at, excluded.last_at)`,
  );
  for (const { observation } of unkept) {
    findSource(observation.src, Math.min(observation.startedAt, now));
  }
  for (const { hour, holder, connections, bytesIn, bytesOut, lastAt } of countUnkept(unkept, now).values()) {
    const before = find.get(hour, holder, observer) as { bytesIn: string | null; bytesOut: string | null } | undefined;
    save.run({
      ...{ hour, holder, observer, connections, lastAt },
      bytesIn: addBytes(toBytes(before?.bytesIn), bytesIn)?.toString() ?? null,
      bytesOut: addBytes(toBytes(before?.bytesOut), bytesOut)?.toString() ?? null,
    });
  }
}

function countUnkept(unkept: readonly Unkept[], now: number): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  for (const { observation, mark } of unkept) {
    if (mark.holder !== null) {
      const { startedAt, at, newSession, agent } = observation;
      const lastAt = Math.min(at, now);
      const hour = hourOf(newSession === undefined ? lastAt : Math.min(startedAt, now));
      const key = `${hour} ${mark.holder}`;
      const count = counts.get(key) ?? {
        hour,
        holder: mark.holder,
        connections: 0,
        bytesIn: null,
        bytesOut: null,
        lastAt,
      };
      count.connections += newSession === undefined ? 0 : 1;
      count.bytesIn = addBytes(count.bytesIn, agent?.bytesIn ?? null);
      count.bytesOut = addBytes(count.bytesOut, agent?.bytesOut ?? null);
      count.lastAt = Math.max(count.lastAt, lastAt);
      counts.set(key, count);
    }
  }
  return counts;
}

export interface UnkeptCount {
  holder: string;
  connections: number;
  bytesIn: string | null;
  bytesOut: string | null;
  lastAt: number;
}

/** Returns the counts by device. Where a router and an Agent saw a machine in one hour, the larger number counts. */
export function readUnkept(
  db: Pick<Base['db'], 'prepare'>,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: { from?: number | undefined; to?: number | undefined },
): UnkeptCount[] {
  const rows = db
    .prepare(
      `SELECT holder, max(connections) AS connections, group_concat(bytes_in) AS bytesIn,
         group_concat(bytes_out) AS bytesOut, max(lastAt) AS lastAt
       FROM (
         SELECT u.hour, coalesce(r.device_id, u.holder) AS holder, sum(u.connections) AS connections,
           group_concat(u.bytes_in) AS bytes_in, group_concat(u.bytes_out) AS bytes_out, max(u.last_at) AS lastAt
         FROM unkept_hour u JOIN observer o ON o.id = u.observer
           LEFT JOIN device d ON d.device_id = u.holder LEFT JOIN device r ON r.id = d.root
         WHERE u.hour BETWEEN ? AND ? GROUP BY u.hour, coalesce(r.device_id, u.holder), o.kind = 'agent'
       ) GROUP BY holder, hour`,
    )
    .all(Math.floor(from / hourMs), Math.floor(to / hourMs)) as UnkeptCount[];
  return [...Map.groupBy(rows, ({ holder }) => holder)].map(([holder, hours]) => ({
    holder,
    connections: hours.reduce((sum, { connections }) => sum + connections, 0),
    bytesIn: sumBytes(hours.map(({ bytesIn }) => bytesIn)),
    bytesOut: sumBytes(hours.map(({ bytesOut }) => bytesOut)),
    lastAt: Math.max(...hours.map(({ lastAt }) => lastAt)),
  }));
}

const toBytes = (digits: string | null | undefined) => (digits ? BigInt(digits) : null);
const addBytes = (one: bigint | null, other: bigint | null) =>
  one === null || other === null ? (one ?? other) : one + other;
const sumBytes = (lists: readonly (string | null)[]) =>
  lists
    .flatMap((list) => list?.split(',') ?? [])
    .map(toBytes)
    .reduce(addBytes, null)
    ?.toString() ?? null;
