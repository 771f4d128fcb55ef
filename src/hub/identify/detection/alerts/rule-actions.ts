// What people do with rules, in the transaction of the caller.
import type { AlertRule } from '#contract/alerts.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { applyRule, endRule, requireRule } from './rules.ts';

/** Ends an active rule; the alerts that only it kept quiet are open again. Throws AppError `not_found`. */
export function endRuleOfAlerts(writer: Writer, id: number, now: number): void {
  endRule(writer, requireRule(writer, id, now), now, null);
}

/** Changes the end or the reason of an active rule. Throws AppError `not_found`. */
export function changeRule(
  writer: Writer,
  id: number,
  change: { until?: number | null | undefined; reason?: string | null | undefined },
  now: number,
): AlertRule {
  const rule = requireRule(writer, id, now);
  const { until = rule.until, reason = rule.reason } = change;
  writer.prepare('UPDATE alert_rule SET until = @until, reason = @reason WHERE id = @id').run({ id, until, reason });
  applyRule(writer, rule, now);
  return { ...rule, until, reason };
}
