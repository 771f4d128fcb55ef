// One row of the database as the connection that the API shows.
import type { Connection, Threat } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type ObservedBy, readObserverSets } from '../store/observer-set.ts';
import { readThreats } from '../store/verdicts.ts';

/** What `connectionColumns` selects. */
export interface ConnectionRow extends Omit<Connection, 'observedBy' | 'source' | 'threat' | 'threatLevel'> {
  observers: number;
  threatId: number | null;
}

/** The labels that rows refer to by number. */
export interface RowLabels {
  observers: ReadonlyMap<number, ObservedBy>;
  threats: ReadonlyMap<number, Threat>;
}

export function readRowLabels(reader: Pick<Reader, 'prepare'>): RowLabels {
  return { observers: readObserverSets(reader), threats: readThreats(reader) };
}

/**
 * A label of `source s` as of the last sighting of `flow f`: an address changes hands, and the traffic of its former
 * holder keeps the labels of that holder.
 */
export const sourceLabel = (column: 'mac' | 'vendor' | 'dns_name' | 'mdns_name' | 'device_id') =>
  `CASE WHEN f.last_seen < s.held_since THEN (SELECT p.${column} FROM source_past p
    WHERE p.address = s.address AND (p.until IS NULL OR p.until > f.last_seen) ORDER BY p.since LIMIT 1)
   ELSE s.${column} END`;

/** Columns of `flow f`, `source s` and `destination d` that make a connection. */
export const connectionColumns = `s.address AS src, d.address AS dst, f.dport, f.proto, f.sport, f.ttl,
  f.first_seen AS firstSeen, f.last_seen AS lastSeen, f.observer_set_id AS observers,
  ${sourceLabel('mac')} AS srcMac, ${sourceLabel('vendor')} AS srcVendor, ${sourceLabel('dns_name')} AS srcDnsName,
  ${sourceLabel('mdns_name')} AS srcMdnsName, ${sourceLabel('device_id')} AS srcDeviceId, d.host AS dstHost, d.country, d.org, d.lat, d.lon, d.city,
  f.agent_host AS agentHost, f.process, f.pid, f.bytes_in AS bytesIn, f.bytes_out AS bytesOut,
  f.threat_id AS threatId`;

/** Of a set that is not stored. */
export const unobserved: ObservedBy = { observedBy: [], source: 'unknown', hasAgent: false };

export function toConnection(row: ConnectionRow, labels: RowLabels): Connection {
  const observed = labels.observers.get(row.observers) ?? unobserved;
  const threat = row.threatId === null ? null : (labels.threats.get(row.threatId) ?? null);
  return {
    src: row.src,
    dst: row.dst,
    dport: row.dport,
    proto: row.proto,
    sport: row.sport,
    ttl: row.ttl,
    firstSeen: row.firstSeen,
    lastSeen: row.lastSeen,
    observedBy: observed.observedBy,
    source: observed.source,
    srcMac: row.srcMac,
    srcVendor: row.srcVendor,
    srcDnsName: row.srcDnsName,
    srcMdnsName: row.srcMdnsName,
    srcDeviceId: row.srcDeviceId,
    dstHost: row.dstHost,
    country: row.country,
    org: row.org,
    lat: row.lat,
    lon: row.lon,
    city: row.city,
    agentHost: row.agentHost,
    process: row.process,
    pid: row.pid,
    bytesIn: row.bytesIn,
    bytesOut: row.bytesOut,
    threat,
    threatLevel: threat?.level ?? 'safe',
  };
}
