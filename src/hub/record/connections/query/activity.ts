// Which devices were active in a period, and which listed destinations they talked to, from one snapshot of the log.
import type { Threat } from '#contract/model.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { compareSeverity, readThreats } from '../store/verdicts.ts';
import { type CompareParams, toListRange } from './compare.ts';
import { dropNoopTimeBounds } from './count.ts';
import { toCondition } from './filter.ts';

export interface ActivityParams extends Pick<CompareParams, 'scope'> {
  period: CompareParams['current'];
  /** Listed destinations that are returned, at most; `maxSources`: sources of each, at most. */
  maxThreats: number;
  maxSources: number;
}

export interface Activity {
  /** Connections of each device that was seen in the period. */
  devices: { deviceId: string; connections: number }[];
  /** Those of level danger first, then most connections first. */
  threats: ThreatActivity[];
}

export interface ThreatActivity {
  dst: string;
  host: string | null;
  connections: number;
  /** The most severe verdict of these connections. */
  threat: Threat;
  /** Who made them, most first. */
  sources: { src: string; deviceId: string | null; connections: number }[];
}

/** Counts the flows that the list shows for the period, each for the device that the list names. */
export function readActivity(reader: Reader, { period, scope, ...most }: ActivityParams): Activity {
  const condition = toCondition(reader, dropNoopTimeBounds(reader, { ...scope, ...toListRange(period) }));
  const holders = readHolders(reader);
  return {
    devices: countDevices(reader, condition, holders),
    threats: listThreats(reader, condition, holders, most),
  };
}

type Condition = ReturnType<typeof toCondition>;

interface Holders {
  findAddress(source: number): string;
  /** The device that had the address of a source at `at`; null when none is known. */
  findDevice(source: number, at: number): string | null;
}

interface SourceRow {
  id: number;
  address: string;
  deviceId: string | null;
  heldSince: number | null;
}

/** Finds holders as `sourceLabel` does for the list. */
function readHolders(reader: Reader): Holders {
  const rows = reader
    .prepare('SELECT id, address, device_id AS deviceId, held_since AS heldSince FROM source')
    .all() as SourceRow[];
  const sources = new Map(rows.map((row) => [row.id, row]));
  const past = Map.groupBy(
    reader
      .prepare(
        `SELECT p.address, p.until, p.device_id AS deviceId FROM source_past p
         JOIN source s ON s.address = p.address WHERE s.held_since IS NOT NULL ORDER BY p.since`,
      )
      .all() as { address: string; until: number | null; deviceId: string }[],
    ({ address }) => address,
  );
  return {
    findAddress: (source) => (sources.get(source) as SourceRow).address,
    findDevice(source, at) {
      const { address, deviceId, heldSince } = sources.get(source) as SourceRow;
      if (at >= (heldSince ?? 0)) {
        return deviceId;
      }
      return past.get(address)?.find(({ until }) => until === null || until > at)?.deviceId ?? null;
    },
  };
}

function countDevices(reader: Reader, { sql, values }: Condition, { findDevice }: Holders): Activity['devices'] {
  const rows = reader
    .prepare(`SELECT f.source_id, f.last_seen FROM flow f INDEXED BY flow_seen WHERE ${sql}`)
    .raw()
    .iterate(...values) as Iterable<[source: number, lastSeen: number]>;
  const counts = new Map<string, number>();
  for (const [source, lastSeen] of rows) {
    const deviceId = findDevice(source, lastSeen);
    if (deviceId !== null) {
      counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1);
    }
  }
  return [...counts].map(([deviceId, connections]) => ({ deviceId, connections }));
}

interface ThreatCount {
  connections: number;
  threat: Threat;
  sources: Map<string, ThreatActivity['sources'][number]>;
}

function listThreats(
  reader: Reader,
  condition: Condition,
  holders: Holders,
  { maxThreats, maxSources }: Omit<ActivityParams, 'period' | 'scope'>,
): ThreatActivity[] {
  const find = reader.prepare('SELECT address AS dst, host FROM destination WHERE id = ?');
  const isWarn = ({ threat }: ThreatCount) => Number(threat.level === 'warn');
  const counted = [...countThreats(reader, condition, holders)].sort(
    ([one, a], [other, b]) => isWarn(a) - isWarn(b) || b.connections - a.connections || one - other,
  );
  return counted.slice(0, maxThreats).map(([destination, { connections, threat, sources }]) => ({
    ...(find.get(destination) as Pick<ThreatActivity, 'dst' | 'host'>),
    connections,
    threat,
    sources: topBy(sources.values(), maxSources, (source) => source.connections, formatSourceKey),
  }));
}

const formatSourceKey = ({ src, deviceId }: { src: string; deviceId: string | null }) => `${src} ${deviceId}`;

/** Counts by the id of the destination. */
function countThreats(reader: Reader, { sql, values }: Condition, holders: Holders): Map<number, ThreatCount> {
  const verdicts = readThreats(reader);
  const rows = reader
    .prepare(
      `SELECT f.destination_id, f.threat_id, f.source_id, f.last_seen FROM flow f INDEXED BY flow_threat
       WHERE f.threat_id IS NOT NULL AND ${sql}`,
    )
    .raw()
    .iterate(...values) as Iterable<[destination: number, threat: number, source: number, lastSeen: number]>;
  const byDestination = new Map<number, ThreatCount>();
  for (const [destination, threatId, source, lastSeen] of rows) {
    const threat = verdicts.get(threatId);
    if (threat) {
      const one = byDestination.get(destination) ?? { connections: 0, threat, sources: new Map() };
      byDestination.set(destination, one);
      one.connections += 1;
      one.threat = compareSeverity(one.threat, threat) <= 0 ? one.threat : threat;
      const holder = { src: holders.findAddress(source), deviceId: holders.findDevice(source, lastSeen) };
      const key = formatSourceKey(holder);
      const counted = one.sources.get(key) ?? { ...holder, connections: 0 };
      one.sources.set(key, counted);
      counted.connections += 1;
    }
  }
  return byDestination;
}
