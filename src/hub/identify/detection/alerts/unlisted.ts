// Alerts whose destinations no list names any more are closed by the hub itself, or expected when the allow list is why.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { setState } from './actions.ts';
import { insertEvent } from './events.ts';
import { updateQuiet } from './rules.ts';

/** Whether the allow list of the threat settings has an address or its name. */
export type IsAllowed = (address: string, host: string | null) => boolean;

interface UnlistedAlert {
  id: number;
  state: string;
  note: string | null;
}

/** What became of alerts whose destinations no list names. */
export interface SettledAlerts {
  /** The alerts that were closed, each with the event of its history. */
  closed: { id: number; eventId: number }[];
  /** The alerts that the allow list made expected, or that were expected and left it. */
  allowed: number[];
}

/**
 * Expects the unlisted alerts whose destinations are all on the allow list, and closes the others. Alerts whose destinations
 * left the allow list are resolved, and open at the next contact. Call it when at least one list has judged the log. An
 * alert whose connections were all deleted stays: nothing says whether a list still names its destinations.
 */
export function settleUnlistedAlerts(writer: Writer, isAllowed: IsAllowed, now: number): SettledAlerts {
  const find = writer.prepare(
    'SELECT DISTINCT d.address, d.host FROM detection l JOIN destination d ON d.address = l.dst WHERE l.alert_id = ?',
  );
  const isWholeAllowed = ({ id }: UnlistedAlert) =>
    (find.all(id) as { address: string; host: string | null }[]).every(({ address, host }) => isAllowed(address, host));
  const former = writer.prepare('SELECT id, state, note FROM alert WHERE allowed = 1').all() as UnlistedAlert[];
  const ended = former.filter((alert) => !isWholeAllowed(alert));
  const { true: begun = [], false: others = [] } = Object.groupBy(findUnlisted(writer), (alert) =>
    isWholeAllowed(alert) ? 'true' : 'false',
  );
  const settle = (alert: UnlistedAlert, action: 'unlisted' | 'allowed' | 'disallowed') => {
    const eventId = insertEvent(writer, { alert, action, actor: null, at: now });
    setState(writer, { id: alert.id, state: 'resolved', note: null, now });
    if (action !== 'unlisted') {
      writer.prepare('UPDATE alert SET allowed = ? WHERE id = ?').run(Number(action === 'allowed'), alert.id);
      updateQuiet(writer, alert.id, now);
    }
    return { id: alert.id, eventId };
  };
  return {
    closed: others.map((alert) => settle(alert, 'unlisted')),
    allowed: [
      ...ended.map((alert) => settle(alert, 'disallowed').id),
      ...begun.map((alert) => settle(alert, 'allowed').id),
    ],
  };
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
