// The history of alerts: who did what, and what the alert was before, so that it can be taken back.

import { alertLimits } from '#contract/alert-limits.ts';
import type { AlertAction, AlertEvent } from '#contract/alert-records.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';

export interface NewEvent {
  /** State and note of the alert before the action: an undo restores them. */
  alert: { id: number; state: string; note: string | null };
  action: AlertAction;
  /** Null: the hub itself. */
  actor: string | null;
  at: number;
  note?: string | null;
  until?: number | null;
  ruleId?: number | null;
}

/** Returns the id of the event. */
export function insertEvent(writer: Writer, event: NewEvent): number {
  const { alert, action, actor, at, note = null, until = null, ruleId = null } = event;
  const { lastInsertRowid } = writer
    .prepare(
      `INSERT INTO alert_event (alert_id, at, actor, action, note, until, rule_id, state_before, note_before)
       VALUES (@alertId, @at, @actor, @action, @note, @until, @ruleId, @before, @noteBefore)`,
    )
    .run({ alertId: alert.id, at, actor, action, note, until, ruleId, before: alert.state, noteBefore: alert.note });
  return Number(lastInsertRowid);
}

const isRuleActive = `EXISTS (SELECT 1 FROM alert_rule r WHERE r.id = e.rule_id AND r.ended_at IS NULL
  AND (r.until IS NULL OR r.until > @now))`;
const hasLater =
  'EXISTS (SELECT 1 FROM alert_event later WHERE later.alert_id = e.alert_id AND later.id > e.id AND later.undone_at IS NULL';

/**
 * SQL: the event `e` can be taken back. Of changes of the state, and of a rule, only the last one can; a rule as long as it
 * is active; its end as long as it did not come back.
 */
export const canUndo = `(e.undone_at IS NULL AND e.actor IS NOT NULL AND e.action <> 'undo' AND CASE
  WHEN e.rule_id IS NULL THEN NOT ${hasLater} AND later.rule_id IS NULL AND later.action <> 'undo')
  WHEN e.action = 'end_rule' THEN EXISTS (SELECT 1 FROM alert_rule r WHERE r.ended_by = e.id)
  WHEN e.action = 'change_rule' THEN ${isRuleActive}
    AND NOT ${hasLater} AND later.rule_id = e.rule_id AND later.action = 'change_rule')
  ELSE ${isRuleActive} END)`;

/** Returns the events of the alert, the newest first. */
export function readHistory(reader: Pick<Reader, 'prepare'>, alertId: number, now: number): AlertEvent[] {
  const rows = reader
    .prepare(
      `SELECT e.id, e.at, e.actor AS "by", e.action, e.note, e.until, e.rule_id AS ruleId, e.undone_at AS undoneAt,
         ${canUndo} AS canUndo
       FROM alert_event e WHERE e.alert_id = @alertId ORDER BY e.id DESC LIMIT ${alertLimits.alertEvents}`,
    )
    .all({ alertId, now }) as (Omit<AlertEvent, 'canUndo'> & { canUndo: 0 | 1 })[];
  return rows.map((row) => ({ ...row, canUndo: row.canUndo === 1 }));
}
