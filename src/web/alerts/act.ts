// What people do with alerts, and how the last action is taken back.
import { signal } from '@preact/signals';
import type { AlertAction, RuleScope } from '#contract/alert-records.ts';
import type { AlertState } from '#contract/alert-states.ts';
import { type ApiError, ask, toApiError } from '../api/client.ts';
import type { Alert } from '../state/alerts.ts';
import { may } from '../state/session.ts';

export type ActionName = Extract<AlertAction, 'acknowledge' | 'mute' | 'expect' | 'resolve' | 'reopen'>;

/** What can be done in each state. */
export const actionsOf: Readonly<Record<AlertState, readonly ActionName[]>> = {
  open: ['acknowledge', 'mute', 'expect', 'resolve'],
  acknowledged: ['mute', 'expect', 'resolve', 'reopen'],
  muted: ['expect', 'reopen'],
  expected: ['reopen'],
  resolved: ['mute', 'expect', 'reopen'],
};

/** Most alerts that one action takes. */
export const mostAtOnce = 200;

export interface Details {
  note?: string;
  /** Epoch milliseconds; null: for good. Of a mute only. */
  until?: number | null;
  scope?: RuleScope;
  device?: string;
}

interface Done {
  name: ActionName | 'undo' | 'change_rule' | 'end_rule';
  alerts: readonly Alert[];
  /** What can be taken back. */
  events: readonly { alertId: number; eventId: number }[];
  /** How many alerts an undo left as they are, because another action followed. */
  leftCount?: number;
  /** Whether a rule did not come back with an undo, because its time is over. */
  hasLapsed?: boolean;
  isBusy: boolean;
  error: ApiError | null;
}

/** The last action; null: none since the page was opened, or its message was closed. */
export const done = signal<Done | null>(null);
/** The action whose details a dialog asks for. */
export const asked = signal<{ name: Exclude<ActionName, 'reopen'>; alerts: readonly Alert[] } | null>(null);
/** Ids of the rows that are selected. */
export const selected = signal<ReadonlySet<number>>(new Set());

/** Of these alerts, those that the action fits. */
export const fitting = (name: ActionName, alerts: readonly Alert[]) =>
  alerts.filter(({ state }) => actionsOf[state].includes(name)).slice(0, mostAtOnce);

/** Asks for the details of an action in a dialog; reopens at once. Does nothing when no alert fits. */
export async function begin(name: ActionName, alerts: readonly Alert[]): Promise<void> {
  const those = fitting(name, alerts);
  if (those.length === 0 || !may('alerts.write')) {
    return;
  }
  if (name !== 'reopen') {
    asked.value = { name, alerts: those };
    return;
  }
  try {
    await act(name, those, {});
  } catch (error) {
    done.value = { name, alerts: those, events: [], isBusy: false, error: toApiError(error) };
  }
}

/** Rejects with ApiError; then nothing has changed. */
export async function act(name: ActionName, alerts: readonly Alert[], details: Details): Promise<void> {
  const body = { ids: alerts.map(({ id }) => id), ...details };
  const { events } = await send(name, body);
  selected.value = new Set();
  done.value = { name, alerts, events, isBusy: false, error: null };
}

function send(name: ActionName, body: { ids: number[] } & Details) {
  return name === 'mute'
    ? ask('POST /api/alerts/mute', { body: { ...body, until: body.until ?? null } })
    : ask(`POST /api/alerts/${name}`, { body });
}

/** Shows what was done to a rule; it cannot be taken back once the alert of the rule is gone. */
export function showRuleChange(
  name: 'change_rule' | 'end_rule',
  { alerts, events }: Pick<Done, 'alerts' | 'events'>,
): void {
  done.value = { name, alerts, events, isBusy: false, error: null };
}

/** Takes the last action back. What others have changed since stays, and the message says so. */
export async function undoLast(): Promise<void> {
  const last = done.value;
  if (last === null || last.events.length === 0 || last.isBusy) {
    return;
  }
  done.value = { ...last, isBusy: true, error: null };
  try {
    const { alerts, left, lapsed } = await ask('POST /api/alerts/undo', { body: { events: [...last.events] } });
    showUndone(alerts, lapsed, left.length);
  } catch (reason) {
    done.value = { ...last, isBusy: false, error: toApiError(reason) };
  }
}

/** Takes one action of the history back. Rejects with ApiError. */
export async function undoOne(alert: Alert, eventId: number): Promise<void> {
  const { lapsed } = await ask('POST /api/alerts/:id/undo', { params: { id: String(alert.id) }, body: { eventId } });
  showUndone([alert], lapsed, 0);
}

function showUndone(alerts: readonly Alert[], lapsed: readonly number[], leftCount: number): void {
  const hasLapsed = lapsed.length > 0;
  done.value = { name: 'undo', alerts, events: [], leftCount, hasLapsed, isBusy: false, error: null };
}
