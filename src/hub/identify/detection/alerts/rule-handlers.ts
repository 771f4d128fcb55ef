// Handlers of the rules that keep alerts quiet.
import type { alertRoutes } from '#contract/alerts.ts';
import { refuseField } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { nameActor, type Principal } from '../../../base/auth/principal.ts';
import type { Base } from '../../../base/feature.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { Actor } from './actions.ts';
import { type AlertQueries, readAlert } from './queries.ts';
import { changeRule, endRuleOfAlerts, type RuleEvent } from './rule-actions.ts';

export interface RuleHandlersOptions extends Pick<Base, 'db' | 'clock'> {
  reads: Pick<ReaderPool<AlertQueries>, 'ask'>;
  /** Called after the commit with the alerts that changed; none: those of a rule. */
  onChanged: (ids: readonly number[]) => void;
}

type RuleHandlers = Pick<Handlers<typeof alertRoutes, Principal>, 'rules' | 'saveRule' | 'endRule'>;

export function createRuleHandlers({ db, clock, reads, onChanged }: RuleHandlersOptions): RuleHandlers {
  /** Answers with the alert that the rule was made from, if there still is one, and what `change` returns. */
  const changeRules = async <T extends { event: RuleEvent }>(
    { principal }: { principal: Principal },
    change: (writer: Writer, by: Actor) => T,
  ) => {
    const by = { actor: nameActor(principal), now: clock.now() };
    const { event, alerts, ...more } = await db.save((writer) => {
      const changed = change(writer, by);
      return { ...changed, alerts: changed.event === null ? [] : [readAlert(writer, changed.event.alertId, by.now)] };
    });
    onChanged([]);
    return { success: true as const, alerts, events: event === null ? [] : [event], serverTime: by.now, ...more };
  };
  return {
    rules: ({ query, signal }) => reads.ask('alertRules', { q: query.q, now: clock.now() }, signal),
    async saveRule(call) {
      const { until, reason } = call.body;
      requireFuture(until ?? null, clock.now());
      return await changeRules(call, (writer, by) => changeRule(writer, call.params.id, { until, reason }, by));
    },
    endRule: (call) => changeRules(call, (writer, by) => ({ event: endRuleOfAlerts(writer, call.params.id, by) })),
  };
}

/** Throws AppError `invalid_body` when the time is past; null is no time. */
export function requireFuture(until: number | null, now: number): void {
  if (until !== null && until <= now) {
    throw refuseField('invalid_body', 'until', `must lie ahead: it is ${isoTime(now)} at the hub`, 'in_past');
  }
}
