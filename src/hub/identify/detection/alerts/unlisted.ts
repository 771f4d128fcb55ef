// Alerts whose destinations no list names any more are closed by the hub itself.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { setState } from './actions.ts';
import { insertEvent } from './events.ts';

/**
 * Returns the closed alerts, each with the event of its history. Call it when at least one list has judged the log. An
 * alert whose connections were all deleted stays: nothing says whether a list still names its destinations.
 */
export function closeUnlistedAlerts(writer: Writer, now: number): { id: number; eventId: number }[] {
  const unlisted = writer
    .prepare(
      `WITH listed AS (SELECT DISTINCT destination_id FROM flow INDEXED BY flow_threat WHERE threat_id IS NOT NULL)
       SELECT a.id, a.state, a.note FROM alert a
       WHERE a.kind IN ('threat', 'retro_match') AND a.state <> 'resolved'
         AND EXISTS (SELECT 1 FROM detection l JOIN destination d ON d.address = l.dst
           JOIN flow f ON f.destination_id = d.id WHERE l.alert_id = a.id)
         AND NOT EXISTS (SELECT 1 FROM detection l JOIN destination d ON d.address = l.dst
           WHERE l.alert_id = a.id AND d.id IN listed)`,
    )
    .all() as { id: number; state: string; note: string | null }[];
  return unlisted.map((alert) => {
    const eventId = insertEvent(writer, { alert, action: 'unlisted', actor: null, at: now });
    setState(writer, { id: alert.id, state: 'resolved', note: null, now });
    return { id: alert.id, eventId };
  });
}
