// Alerts whose destinations no list names any more are closed by the hub itself, or expected when the allow list is why.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { setState } from './actions.ts';
import { insertEvent } from './events.ts';
import { applyRules } from './rules.ts';

/** Whether the allow list of the threat settings has an address or its name. */
export type IsAllowed = (address: string, host: string | null) => boolean;

interface UnlistedAlert {
  id: number;
  state: string;
  note: string | null;
}

/**
 * Expects the unlisted alerts whose destinations are all on the allow list, and ends that for those whose destinations left
 * it: they are resolved then, and open at the next contact. Returns the alerts that changed.
 */
export function expectAllowedAlerts(writer: Writer, isAllowed: IsAllowed, now: number): number[] {
  const find = writer.prepare(
    'SELECT DISTINCT d.address, d.host FROM detection l JOIN destination d ON d.address = l.dst WHERE l.alert_id = ?',
  );
  const isWholeAllowed = ({ id }: UnlistedAlert) =>
    (find.all(id) as { address: string; host: string | null }[]).every(({ address, host }) => isAllowed(address, host));
  const former = writer.prepare('SELECT id, state, note FROM alert WHERE allowed = 1').all() as UnlistedAlert[];
  const ended = former.filter((alert) => !isWholeAllowed(alert));
  const begun = findUnlisted(writer).filter(isWholeAllowed);
  const mark = (alert: UnlistedAlert, isExpected: boolean) => {
    insertEvent(writer, { alert, action: isExpected ? 'allowed' : 'disallowed', actor: null, at: now });
    setState(writer, { id: alert.id, state: 'resolved', note: null, now });
    writer.prepare('UPDATE alert SET allowed = ? WHERE id = ?').run(Number(isExpected), alert.id);
    applyRules(writer, alert.id, now);
    return alert.id;
  };
  return [...ended.map((alert) => mark(alert, false)), ...begun.map((alert) => mark(alert, true))];
}

/**
 * Returns the closed alerts, each with the event of its history. Call it when at least one list has judged the log. An
 * alert whose connections were all deleted stays: nothing says whether a list still names its destinations.
 */
export function closeUnlistedAlerts(writer: Writer, now: number): { id: number; eventId: number }[] {
  return findUnlisted(writer).map((alert) => {
    const eventId = insertEvent(writer, { alert, action: 'unlisted', actor: null, at: now });
    setState(writer, { id: alert.id, state: 'resolved', note: null, now });
    return { id: alert.id, eventId };
  });
}

function findUnlisted(writer: Writer): UnlistedAlert[] {
  return writer
    .prepare(
      `WITH listed AS (SELECT DISTINCT destination_id FROM flow INDEXED BY flow_threat WHERE threat_id IS NOT NULL)
       SELECT a.id, a.state, a.note FROM alert a
       WHERE a.kind IN ('threat', 'retro_match') AND a.state <> 'resolved'
         AND EXISTS (SELECT 1 FROM detection l JOIN destination d ON d.address = l.dst
           JOIN flow f ON f.destination_id = d.id WHERE l.alert_id = a.id)
         AND NOT EXISTS (SELECT 1 FROM detection l JOIN destination d ON d.address = l.dst
           WHERE l.alert_id = a.id AND d.id IN listed)`,
    )
    .all() as UnlistedAlert[];
}
