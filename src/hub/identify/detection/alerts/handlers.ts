// Handlers of alerts.
import type { Alert, RuleScope } from '#contract/alert-records.ts';
import type { alertRoutes } from '#contract/alerts.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { nameActor, type Principal } from '../../../base/auth/principal.ts';
import { type Action, type Actor, actOnAlert } from './actions.ts';
import { createLinkHandlers, type LinkHandlersOptions } from './link-handlers.ts';
import { readAlert } from './queries.ts';
import { createRuleHandlers, type RuleHandlersOptions, requireFuture } from './rule-handlers.ts';
import type { TellResolved } from './tell-resolved.ts';
import { undoEvent } from './undo.ts';

export interface AlertHandlersOptions extends RuleHandlersOptions, LinkHandlersOptions {
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
  /** Takes an event of each alert back. `mayStay`: one that another action followed stays as it is, and is not refused. */
  const undo = async (caller: Caller, eventOf: ReadonlyMap<number, number>, mayStay: boolean) => {
    const lapsed: number[] = [];
    const done = await changeAlerts(caller, [...eventOf.keys()], (writer, id, by) => {
      try {
        const { eventId, hasLapsed } = undoEvent(writer, id, eventOf.get(id) ?? 0, by);
        if (hasLapsed) {
          lapsed.push(id);
        }
        return eventId;
      } catch (error) {
        if (mayStay && error instanceof AppError && error.code === 'alert_changed') {
          return null;
        }
        throw error;
      }
    });
    return { ...done, lapsed };
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
    undo: (call) => undo(call, new Map([[call.params.id, call.body.eventId]]), false),
    async undoMany(call) {
      const eventOf = new Map(call.body.events.map(({ alertId, eventId }) => [alertId, eventId]));
      const done = await undo(call, eventOf, true);
      const undone = new Set(done.events.map(({ alertId }) => alertId));
      return { ...done, left: call.body.events.filter(({ alertId }) => !undone.has(alertId)) };
    },
    ...createLinkHandlers(options),
    ...createRuleHandlers(options),
  };
}
