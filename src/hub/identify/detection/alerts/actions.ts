// What people do with alerts, in the transaction of the caller: nothing has changed when an action throws.

import { alertLimits } from '#contract/alert-limits.ts';
import type { AlertRule, RuleScope } from '#contract/alert-records.ts';
import type { AlertState } from '#contract/alert-states.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { insertEvent } from './events.ts';
import { applyRule, countRules, endRule, insertRule, readRulesOfAlert, updateQuiet } from './rules.ts';

export interface Actor {
  /** As the history shows it. */
  actor: string;
  now: number;
}

/** What names a beacon. */
export interface BeaconFlow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
}

/** An action on one alert, as a person asked for it. */
export type Action =
  | { name: 'acknowledge' | 'resolve' | 'reopen'; note: string | null }
  | {
      name: 'mute' | 'expect';
      note: string | null;
      /** Null: for good. */
      until: number | null;
      scope: RuleScope;
      /** With scope `device`: what rules call the device; undefined: the only one of the alert. */
      device: string | undefined;
    };

export interface StoredAlert {
  id: number;
  kind: AlertRule['kind'];
  target: string | null;
  device: string | null;
  state: AlertState;
  note: string | null;
}

/**
 * Acts on one alert; returns the id of the event in its history. Throws AppError `not_found`, `alert_scope`,
 * `alert_covered`, `rule_limit`.
 */
export function actOnAlert(writer: Writer, id: number, action: Action, { actor, now }: Actor): number {
  const alert = requireAlert(writer, id);
  const { name, note } = action;
  if (name === 'mute' || name === 'expect') {
    const rule = toRule(writer, alert, action, { actor, now });
    const ruleId = insertRule(writer, rule);
    const event = insertEvent(writer, { alert, action: name, actor, at: now, note, until: action.until, ruleId });
    writer.prepare('UPDATE alert SET note = @note WHERE id = @id').run({ id, note });
    applyRule(writer, rule, now);
    return event;
  }
  const event = insertEvent(writer, { alert, action: name, actor, at: now, note });
  if (name === 'reopen') {
    endOwnRules(writer, alert, event, now);
  }
  const state = { acknowledge: 'acknowledged', resolve: 'resolved', reopen: 'open' } as const;
  setState(writer, { id, state: state[name], note, now });
  return event;
}

/** Marks the alert of a beacon that was dismissed as expected; without such an alert nothing happens. */
export function expectBeacon(writer: Writer, flow: BeaconFlow, by: Actor): void {
  const id = writer
    .prepare(
      `SELECT a.id FROM detection l JOIN alert a ON a.id = l.alert_id WHERE l.type = 'beacon' AND l.src = @src
         AND l.dst = @dst AND l.dport = @dport AND l.proto = @proto AND a.quiet IS NOT 'expected' LIMIT 1`,
    )
    .pluck()
    .get(flow) as number | undefined;
  if (id !== undefined) {
    actOnAlert(writer, id, { name: 'expect', note: null, until: null, scope: 'alert', device: undefined }, by);
  }
}

/** Returns the stored alert. Throws AppError `not_found` when there is none with this id. */
export function requireAlert(writer: Writer, id: number): StoredAlert {
  const alert = writer.prepare('SELECT id, kind, target, device, state, note FROM alert WHERE id = ?').get(id);
  if (alert === undefined) {
    throw new AppError('not_found', `there is no alert ${id}; GET /api/alerts lists them`);
  }
  return alert as StoredAlert;
}

/** Throws AppError `rule_limit` when there would be too many active rules with `more` of them. */
export function requireRoom(writer: Writer, more: number, now: number): void {
  if (countRules(writer, now) + more > alertLimits.alertRules) {
    throw new AppError('rule_limit', `there are ${alertLimits.alertRules} rules: end some that are no longer needed`);
  }
}

function toRule(
  writer: Writer,
  alert: StoredAlert,
  action: Extract<Action, { scope: RuleScope }>,
  { actor, now }: Actor,
): Omit<AlertRule, 'id'> {
  requireRoom(writer, 1, now);
  const { name, scope, until, note } = action;
  if (scope !== 'alert' && alert.target === null) {
    throw new AppError('alert_scope', 'this alert has no destination: use the scope alert');
  }
  const isOwn = scope === 'alert';
  return {
    effect: name,
    scope,
    kind: isOwn ? alert.kind : null,
    target: alert.target,
    device: isOwn ? alert.device : scope === 'device' ? chooseDevice(writer, alert.id, action.device) : null,
    until,
    reason: note,
    alertId: alert.id,
    by: actor,
    createdAt: now,
  };
}

function chooseDevice(writer: Writer, id: number, named: string | undefined): string {
  const devices = writer
    .prepare('SELECT DISTINCT coalesce(src_mac, src) FROM detection WHERE alert_id = ?')
    .pluck()
    .all(id) as string[];
  const [device = ''] = named === undefined ? devices : devices.filter((one) => one === named);
  if (device === '' || (named === undefined && devices.length > 1)) {
    throw new AppError('alert_scope', `device must be one of this alert: ${devices.slice(0, 10).join(', ')}`);
  }
  return device;
}

/**
 * Ends the rules that were made from the alert, by an event of its history. Throws AppError `alert_covered` when others
 * still keep it quiet.
 */
function endOwnRules(writer: Writer, { id }: StoredAlert, event: number, now: number): void {
  const rules = readRulesOfAlert(writer, id, now);
  for (const rule of rules.filter(({ alertId }) => alertId === id)) {
    endRule(writer, rule, now, event);
  }
  updateQuiet(writer, id, now);
  const quiet = writer.prepare('SELECT quiet FROM alert WHERE id = ?').pluck().get(id);
  if (quiet !== null) {
    const others = rules.filter(({ alertId }) => alertId !== id).map((rule) => rule.id);
    const cover = others.length === 0 ? 'the allow list of the threat settings' : `rule ${others.join(', ')}`;
    throw new AppError('alert_covered', `this alert is kept quiet by ${cover}: end that instead`);
  }
}

/** Sets the state that people decide, and leaves `quiet`, which the rules decide, as it is. */
export function setState(writer: Writer, change: Pick<StoredAlert, 'id' | 'state' | 'note'> & { now: number }): void {
  writer
    .prepare(
      `UPDATE alert SET state = @state, note = @note, state_at = @now,
         opened_until = iif(@state = 'open' AND quiet IS NULL, NULL, coalesce(opened_until, @now)) WHERE id = @id`,
    )
    .run(change);
}
