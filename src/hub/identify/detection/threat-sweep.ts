// Recently active flows that are not safe and had no alert since, also after a crash or at the end of a cooldown.
import type { Threat } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

export interface ThreatSighting {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  threat: Threat;
  /** Last sign of traffic, epoch milliseconds. */
  at: number;
}

type Row = Omit<ThreatSighting, 'threat'> & Omit<Threat, 'level'> & { rank: 1 | 2 };

/** At most 500, the worst first. `since` bounds how old a sighting may be. Those about to get a card are no sightings. */
export function sweepThreats(reader: Pick<Reader, 'prepare'>, since: number, cooldownMs: number): ThreatSighting[] {
  const rows = reader
    .prepare(
      `SELECT s.address AS src, d.address AS dst, f.dport, f.proto, f.last_seen AS at, t.level AS rank, t.confidence,
         t.source, t.tag, t.match_type AS matchType, t.match_value AS matchValue, t.port, t.url
       FROM flow f INDEXED BY flow_threat
         CROSS JOIN threat t ON t.id = f.threat_id
         CROSS JOIN source s ON s.id = f.source_id
         CROSS JOIN destination d ON d.id = f.destination_id
         LEFT JOIN detection_told told ON told.type = 'threat' AND told.device = s.address AND told.dst = d.address
       WHERE f.threat_id IS NOT NULL AND f.last_seen >= ? AND (told.at IS NULL OR f.last_seen >= told.at + ?)
         AND NOT EXISTS (SELECT 1 FROM retro_match r
           WHERE r.pending = 1 AND r.source_id = f.source_id AND r.destination_id = f.destination_id)
       ORDER BY t.level DESC, f.last_seen DESC LIMIT 500`,
    )
    .all(since, cooldownMs) as Row[];
  return rows.map(({ src, dst, dport, proto, at, rank, ...threat }) => ({
    src,
    dst,
    dport,
    proto,
    at,
    threat: { ...threat, level: rank === 2 ? 'danger' : 'warn' },
  }));
}
