// Undoes an action on an alert: ends the rule that it made, and restores the rules that it changed or ended.
import type { AlertAction, AlertRule } from '#contract/alert-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { type Actor, requireAlert, requireRoom, setState } from './actions.ts';
import { canUndo, insertEvent } from './events.ts';
import { applyRule, endRule, requireRule } from './rules.ts';

export interface Undone {
  /** The event that records the undo in the history. */
  eventId: number;
  /** Whether a rule that the action had changed or ended is not active again, because its time is over. */
  hasLapsed: boolean;
}

interface UndoableEvent {
  id: number;
  action: AlertAction;
  ruleId: number | null;
  /** State and note of the alert before the action. */
  state: 'open' | 'acknowledged' | 'resolved';
  note: string | null;
}

/** Undoes an event in the history of the alert `id`. Throws AppError `not_found`, `alert_changed`, `rule_limit`. */
export function undoEvent(writer: Writer, id: number, eventId: number, { actor, now }: Actor): Undone {
  const alert = requireAlert(writer, id);
  const event = requireEvent(writer, id, eventId, now);
  writer.prepare('UPDATE alert_event SET undone_at = @now WHERE id = @eventId').run({ eventId, now });
  const undone = insertEvent(writer, { alert, action: 'undo', actor, at: now });
  if (event.ruleId === null) {
    setState(writer, { id, state: event.state, note: event.note, now });
    return { eventId: undone, hasLapsed: reviveRules(writer, eventId, now) };
  }
  writer.prepare('UPDATE alert SET note = @note WHERE id = @id').run({ id, note: event.note });
  return { eventId: undone, hasLapsed: undoRuleEvent(writer, event, event.ruleId, now) };
}

/** Returns `hasLapsed`. */
function undoRuleEvent(writer: Writer, event: UndoableEvent, ruleId: number, now: number): boolean {
  if (event.action === 'end_rule') {
    return reviveRules(writer, event.id, now);
  }
  const rule = requireRule(writer, ruleId, now);
  if (event.action === 'change_rule') {
    return restoreEndAndReason(writer, rule, event.id, now);
  }
  endRule(writer, rule, now, null);
  return false;
}

/** Takes them from the latest earlier event that made or changed the rule. Returns whether that end is past. */
function restoreEndAndReason(writer: Writer, rule: AlertRule, eventId: number, now: number): boolean {
  const { until } = writer
    .prepare(
      `UPDATE alert_rule SET (until, reason) = (
         SELECT e.until, e.note FROM alert_event e WHERE e.rule_id = @id AND e.id < @eventId
           AND e.action IN ('mute', 'expect', 'change_rule') AND e.undone_at IS NULL ORDER BY e.id DESC LIMIT 1)
       WHERE id = @id RETURNING until`,
    )
    .get({ id: rule.id, eventId }) as Pick<AlertRule, 'until'>;
  applyRule(writer, rule, now);
  return until !== null && until <= now;
}

function requireEvent(writer: Writer, id: number, eventId: number, now: number): UndoableEvent {
  const event = writer
    .prepare(
      `SELECT e.id, e.action, e.rule_id AS ruleId, e.state_before AS state, e.note_before AS note, ${canUndo} AS canUndo
       FROM alert_event e WHERE e.id = @eventId AND e.alert_id = @id`,
    )
    .get({ id, eventId, now }) as (UndoableEvent & { canUndo: 0 | 1 }) | undefined;
  if (event === undefined) {
    throw new AppError('not_found', 'this alert has no such event; GET /api/alerts/:id lists its history');
  }
  if (event.canUndo === 0) {
    throw new AppError(
      'alert_changed',
      'this action cannot be taken back: it was already, its rule is over, the hub did it, or a later one goes first',
    );
  }
  return event;
}

/** Makes the rules that the event ended active again. Returns whether one stays ended, because its time is over. */
function reviveRules(writer: Writer, eventId: number, now: number): boolean {
  const rules = writer
    .prepare('SELECT id, kind, target, device, until FROM alert_rule WHERE ended_by = ?')
    .all(eventId) as Pick<AlertRule, 'id' | 'kind' | 'target' | 'device' | 'until'>[];
  const revived = rules.filter(({ until }) => until === null || until > now);
  requireRoom(writer, revived.length, now);
  for (const rule of revived) {
    writer.prepare('UPDATE alert_rule SET ended_at = NULL, ended_by = NULL WHERE id = ?').run(rule.id);
    applyRule(writer, rule, now);
  }
  return revived.length < rules.length;
}
