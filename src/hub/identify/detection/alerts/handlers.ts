// Handlers of alerts.
import type { Alert, RuleScope } from '#contract/alert-records.ts';
import type { alertRoutes } from '#contract/alerts.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { nameActor, type Principal } from '../../../base/auth/principal.ts';
import { type Action, type Actor, actOnAlert } from './actions.ts';
import { readAlert } from './queries.ts';
import { createRuleHandlers, type RuleHandlersOptions, requireFuture } from './rule-handlers.ts';
import type { TellResolved } from './tell-resolved.ts';
import { undoEvent } from './undo.ts';

export interface AlertHandlersOptions extends RuleHandlersOptions {
  tellResolved: TellResolved;
}

interface Note {
  note?: string | null | undefined;
}

interface Caller {
  principal: Principal;
}

/** Returns the id of the event in the history of the alert; null when the alert stays as it is. */
type Change = (writer: Writer, id: number, by: Actor) => number | null;

interface Covered extends Note {
  scope: RuleScope;
  device?: string | undefined;
}

export function createAlertHandlers(options: AlertHandlersOptions): Handlers<typeof alertRoutes, Principal> {
  const { db, clock, reads, onChanged, tellResolved } = options;
  /** Runs `change` on each alert and reads it again, in one transaction; announces the alerts and answers with them. */
  const changeAlerts = async ({ principal }: Caller, ids: readonly number[], change: Change) => {
    const by = { actor: nameActor(principal), now: clock.now() };
    const changed = await db.save(function* (writer) {
      const events: { alertId: number; eventId: number }[] = [];
      for (const alertId of new Set(ids)) {
        const eventId = change(writer, alertId, by);
        if (eventId !== null) {
          events.push({ alertId, eventId });
        }
        yield;
      }
      const alerts: Alert[] = [];
      for (const { alertId } of events) {
        alerts.push(readAlert(writer, alertId, by.now));
        yield;
      }
      return { events, alerts };
    });
    if (changed.events.length > 0) {
      onChanged(changed.events.map(({ alertId }) => alertId));
    }
    return { success: true as const, ...changed, serverTime: by.now };
  };
  const act = (caller: Caller, ids: readonly number[], action: Action) =>
    changeAlerts(caller, ids, (writer, id, by) => {
      const eventId = actOnAlert(writer, id, action, by);
      if (action.name === 'resolve') {
        tellResolved(writer, { id, eventId, by: by.actor, now: by.now });
      }
      return eventId;
    });
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
    acknowledge: (call) => act(call, [call.params.id], plain('acknowledge', call.body)),
    resolve: (call) => act(call, [call.params.id], plain('resolve', call.body)),
    reopen: (call) => act(call, [call.params.id], plain('reopen', call.body)),
    mute: (call) => act(call, [call.params.id], mute(call.body)),
    expect: (call) => act(call, [call.params.id], expect(call.body)),
    acknowledgeMany: (call) => act(call, call.body.ids, plain('acknowledge', call.body)),
    resolveMany: (call) => act(call, call.body.ids, plain('resolve', call.body)),
    reopenMany: (call) => act(call, call.body.ids, plain('reopen', call.body)),
    muteMany: (call) => act(call, call.body.ids, mute(call.body)),
    expectMany: (call) => act(call, call.body.ids, expect(call.body)),
    async undo(call) {
      let lapsed: number[] = [];
      const done = await changeAlerts(call, [call.params.id], (writer, id, by) => {
        const { eventId, hasLapsed } = undoEvent(writer, id, call.body.eventId, by);
        lapsed = hasLapsed ? [id] : [];
        return eventId;
      });
      return { ...done, lapsed };
    },
    async undoMany(call) {
      const eventOf = new Map(call.body.events.map(({ alertId, eventId }) => [alertId, eventId]));
      const lapsed = new Set<number>();
      const done = await changeAlerts(call, [...eventOf.keys()], (writer, id, by) => {
        try {
          const { eventId, hasLapsed } = undoEvent(writer, id, eventOf.get(id) ?? 0, by);
          if (hasLapsed) {
            lapsed.add(id);
          }
          return eventId;
        } catch (error) {
          if (error instanceof AppError && error.code === 'alert_changed') {
            return null;
          }
          throw error;
        }
      });
      for (const { alertId } of done.events) {
        eventOf.delete(alertId);
      }
      return { ...done, lapsed: [...lapsed], left: [...eventOf].map(([alertId, eventId]) => ({ alertId, eventId })) };
    },
    ...createRuleHandlers(options),
  };
}
