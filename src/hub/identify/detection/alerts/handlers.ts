// Handlers of alerts and their rules.
import type { alertRoutes, RuleScope } from '#contract/alerts.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { nameActor, type Principal } from '../../../base/auth/principal.ts';
import type { Base } from '../../../base/feature.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import { type Action, actOnAlert, changeRule, endRuleOfAlerts, undoEvent } from './actions.ts';
import { type AlertQueries, readAlerts } from './queries.ts';

export interface AlertHandlersOptions extends Pick<Base, 'db' | 'clock'> {
  reads: Pick<ReaderPool<AlertQueries>, 'ask'>;
  /** Called after the commit with the alerts that changed; none: those of a rule. */
  onChanged: (ids: readonly number[]) => void;
}

interface Note {
  note?: string | null | undefined;
}

interface Covered extends Note {
  scope: RuleScope;
  device?: string | undefined;
}

export function createAlertHandlers(options: AlertHandlersOptions): Handlers<typeof alertRoutes, Principal> {
  const { db, clock, reads, onChanged } = options;
  const answer = (events: readonly { alertId: number; eventId: number }[]) => {
    const ids = events.map(({ alertId }) => alertId);
    onChanged(ids);
    const now = clock.now();
    return { success: true as const, alerts: readAlerts(db, ids, now), events: [...events], serverTime: now };
  };
  const act = async (principal: Principal, ids: readonly number[], action: Action) => {
    const actor = { actor: nameActor(principal), now: clock.now() };
    const events = await db.save((writer) =>
      [...new Set(ids)].map((alertId) => ({ alertId, eventId: actOnAlert(writer, alertId, action, actor) })),
    );
    return answer(events);
  };
  const plain = (name: 'acknowledge' | 'resolve' | 'reopen', { note = null }: Note): Action => ({ name, note });
  const expect = ({ scope, device, note = null }: Covered): Action => {
    return { name: 'expect', note, until: null, scope, device };
  };
  const mute = ({ scope, device, note = null, until }: Covered & { until: number | null }): Action => {
    requireFuture(until, clock.now());
    return { name: 'mute', note, until, scope, device };
  };
  return {
    list: ({ query, signal }) => reads.ask('alerts', { query, now: clock.now() }, signal),
    detail: ({ params, signal }) => reads.ask('alertDetail', { id: params.id, now: clock.now() }, signal),
    acknowledge: ({ params, body, principal }) => act(principal, [params.id], plain('acknowledge', body)),
    resolve: ({ params, body, principal }) => act(principal, [params.id], plain('resolve', body)),
    reopen: ({ params, body, principal }) => act(principal, [params.id], plain('reopen', body)),
    mute: ({ params, body, principal }) => act(principal, [params.id], mute(body)),
    expect: ({ params, body, principal }) => act(principal, [params.id], expect(body)),
    acknowledgeMany: ({ body, principal }) => act(principal, body.ids, plain('acknowledge', body)),
    resolveMany: ({ body, principal }) => act(principal, body.ids, plain('resolve', body)),
    reopenMany: ({ body, principal }) => act(principal, body.ids, plain('reopen', body)),
    muteMany: ({ body, principal }) => act(principal, body.ids, mute(body)),
    expectMany: ({ body, principal }) => act(principal, body.ids, expect(body)),
    async undo({ params: { id }, body, principal }) {
      const actor = { actor: nameActor(principal), now: clock.now() };
      const eventId = await db.save((writer) => undoEvent(writer, id, body.eventId, actor));
      return answer([{ alertId: id, eventId }]);
    },
    rules: ({ query, signal }) => reads.ask('alertRules', { q: query.q, now: clock.now() }, signal),
    async saveRule({ params, body: { until, reason } }) {
      requireFuture(until ?? null, clock.now());
      const rule = await db.save((writer) => changeRule(writer, params.id, { until, reason }, clock.now()));
      onChanged([]);
      return { success: true, rule };
    },
    async endRule({ params }) {
      await db.save((writer) => endRuleOfAlerts(writer, params.id, clock.now()));
      onChanged([]);
      return { success: true };
    },
  };
}

function requireFuture(until: number | null, now: number): void {
  if (until !== null && until <= now) {
    throw new AppError('invalid_body', `until must lie ahead: it is ${isoTime(now)} at the hub`);
  }
}
