// An action on an alert is taken back: the rule that it made ends, the rules that it changed or ended are as before.
import type { AlertAction, AlertRule } from '#contract/alert-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { type Actor, requireAlert, requireRoom, setState } from './actions.ts';
import { canUndo, insertEvent } from './events.ts';
import { applyRule, endRule, requireRule } from './rules.ts';

export interface Undone {
  /** The event in the history that says so. */
  eventId: number;
  /** Whether a rule that the action had ended stays ended, because its time is over. */
  hasLapsed: boolean;
}

interface UndoableEvent {
  id: number;
  action: AlertAction;
  ruleId: number | null;
  /** State and note of the alert before it. */
  state: 'open' | 'acknowledged' | 'resolved';
  note: string | null;
}

/** Takes an event of the history back. Throws AppError `not_found`, `alert_changed`, `rule_limit`. */
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

/** Returns whether the rule is not active afterwards, because its time is over. */
function undoRuleEvent(writer: Writer, event: UndoableEvent, ruleId: number, now: number): boolean {
  if (event.action === 'end_rule') {
    return reviveRules(writer, event.id, now);
  }
  const rule = requireRule(writer, ruleId, now);
  if (event.action === 'change_rule') {
    return restoreFormer(writer, rule, event.id, now);
  }
  endRule(writer, rule, now, null);
  return false;
}

/**
 * Gives the rule the end and the reason that it had before the event: those of the event before that one which made or
 * changed it. Returns whether that end is past.
 */
function restoreFormer(writer: Writer, rule: AlertRule, event: number, now: number): boolean {
  const { until } = writer
    .prepare(
      `UPDATE alert_rule SET (until, reason) = (
         SELECT e.until, e.note FROM alert_event e WHERE e.rule_id = @id AND e.id < @event
           AND e.action IN ('mute', 'expect', 'change_rule') AND e.undone_at IS NULL ORDER BY e.id DESC LIMIT 1)
       WHERE id = @id RETURNING until`,
    )
    .get({ id: rule.id, event }) as Pick<AlertRule, 'until'>;
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
      'this action was taken back already, or another one followed: take that back first',
    );
  }
  return event;
}

/** Brings the rules back that the event ended. Returns whether one stays ended, because its time is over. */
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
