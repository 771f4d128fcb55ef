// What people do with rules, in the transaction of the caller. The alert that a rule was made from has it in its history.
import type { AlertAction, AlertRule } from '#contract/alert-records.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { type Actor, requireAlert } from './actions.ts';
import { insertEvent } from './events.ts';
import { applyRule, endRule, requireRule } from './rules.ts';

/** The event in the history of an alert; null: the alert of the rule is gone. */
export type RuleEvent = { alertId: number; eventId: number } | null;

/** Ends an active rule; the alerts that only it kept quiet are open again. Throws AppError `not_found`. */
export function endRuleOfAlerts(writer: Writer, id: number, by: Actor): RuleEvent {
  const rule = requireRule(writer, id, by.now);
  const event = insertRuleEvent(writer, 'end_rule', rule, null, by);
  endRule(writer, rule, by.now, event?.eventId ?? null);
  return event;
}

/** Changes the end or the reason of an active rule. Throws AppError `not_found`. */
export function changeRule(
  writer: Writer,
  id: number,
  change: { until?: number | null | undefined; reason?: string | null | undefined },
  by: Actor,
): { rule: AlertRule; event: RuleEvent } {
  const rule = requireRule(writer, id, by.now);
  const { until = rule.until, reason = rule.reason } = change;
  const changed = { ...rule, until, reason };
  const event = insertRuleEvent(writer, 'change_rule', rule, changed, by);
  writer.prepare('UPDATE alert_rule SET until = @until, reason = @reason WHERE id = @id').run({ id, until, reason });
  applyRule(writer, rule, by.now);
  return { rule: changed, event };
}

/**
 * Writes the event into the history of the alert that the rule was made from; returns null when that alert is gone. The note
 * of the alert follows where it is the reason of the rule. `changed`: the rule afterwards; null when it ends.
 */
function insertRuleEvent(
  writer: Writer,
  action: AlertAction,
  rule: AlertRule,
  changed: AlertRule | null,
  { actor, now }: Actor,
): RuleEvent {
  const { id: ruleId, alertId, reason: former } = rule;
  if (alertId === null) {
    return null;
  }
  const { until = null, reason: note = null } = changed ?? {};
  const alert = requireAlert(writer, alertId);
  const eventId = insertEvent(writer, { alert, action, actor, at: now, note, until, ruleId });
  writer.prepare('UPDATE alert SET note = @note WHERE id = @alertId AND note = @former').run({ alertId, note, former });
  return { alertId, eventId };
}
