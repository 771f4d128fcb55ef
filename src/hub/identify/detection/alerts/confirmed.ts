// Threats that a person confirmed: what alerts name that were acknowledged, while a feed lists it.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { isQuietSql } from './state.ts';

export interface ConfirmedThreat {
  alertId: number;
  /** An address, or the name that was asked for when the feed lists names. */
  value: string;
  /** The feed that lists it. */
  list: string;
}

/** The last of these decides: only after `acknowledge` is the threat of an alert confirmed. */
const decisions = "'acknowledge', 'reopen', 'expect', 'unlisted', 'allowed'";

export const confirmedQueries = {
  /** Muted and expected alerts are left out. A listed name does not make the address that it shares with others a threat. */
  confirmedThreats: (reader: Reader, { now }: { now: number }): ConfirmedThreat[] =>
    reader
      .prepare(
        `SELECT DISTINCT a.id AS alertId, t.source AS list,
           CASE t.match_type WHEN 'domain' THEN lower(coalesce(d.host, t.match_value)) ELSE d.address END AS value
         FROM alert a JOIN detection l ON l.alert_id = a.id JOIN destination d ON d.address = l.dst
           JOIN flow f ON f.destination_id = d.id JOIN threat t ON t.id = f.threat_id
         WHERE a.kind IN ('threat', 'retro_match') AND NOT (${isQuietSql})
           AND (SELECT e.action FROM alert_event e
             WHERE e.alert_id = a.id AND e.undone_at IS NULL AND e.action IN (${decisions})
             ORDER BY e.id DESC LIMIT 1) = 'acknowledge'
         ORDER BY a.id, value, list`,
      )
      .all({ now }) as ConfirmedThreat[],
};

export type ConfirmedQueries = typeof confirmedQueries;
