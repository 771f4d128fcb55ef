// One row of the database as the connection that the API shows.
import type { Connection, Threat, ThreatLevel } from '#contract/model.ts';
import type { ObservedBy } from './observer-set.ts';

/** What is known of a destination's threat; all but the rank are filled when it is not 0. */
export interface ThreatColumns {
  threatRank: 0 | 1 | 2;
  confidence: Threat['confidence'];
  threatSource: Threat['source'];
  tag: string | null;
  matchType: Threat['matchType'];
  matchValue: string;
  threatPort: number | null;
  threatUrl: string | null;
}

/** What `connectionColumns` selects. */
export interface ConnectionRow
  extends ThreatColumns,
    Omit<Connection, 'observedBy' | 'source' | 'threat' | 'threatLevel'> {
  observers: number;
}

/** Columns of `flow f`, `source s` and `destination d` that make a connection. */
export const connectionColumns = `s.address AS src, d.address AS dst, f.dport, f.proto, f.sport, f.ttl,
  f.first_seen AS firstSeen, f.last_seen AS lastSeen, f.observer_set_id AS observers,
  s.mac AS srcMac, s.vendor AS srcVendor, s.dns_name AS srcDnsName, s.mdns_name AS srcMdnsName,
  s.device_id AS srcDeviceId, d.host AS dstHost, d.country, d.org, d.lat, d.lon, d.city,
  f.agent_host AS agentHost, f.process, f.pid, f.bytes_in AS bytesIn, f.bytes_out AS bytesOut,
  d.threat_level AS threatRank, d.threat_confidence AS confidence, d.threat_source AS threatSource,
  d.threat_tag AS tag, d.threat_match_type AS matchType, d.threat_match_value AS matchValue,
  d.threat_port AS threatPort, d.threat_url AS threatUrl`;

const levels = ['safe', 'warn', 'danger'] as const satisfies readonly ThreatLevel[];

export function toConnection(row: ConnectionRow, observed: ObservedBy): Connection {
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
    threat: toThreat(row),
    threatLevel: levels[row.threatRank],
  };
}

/** The threat as the API shows it; `null` when there is none. */
export function toThreat(row: ThreatColumns): Threat | null {
  const level = levels[row.threatRank];
  if (level === 'safe') {
    return null;
  }
  return {
    level,
    confidence: row.confidence,
    source: row.threatSource,
    tag: row.tag,
    matchType: row.matchType,
    matchValue: row.matchValue,
    port: row.threatPort,
    url: row.threatUrl,
  };
}
