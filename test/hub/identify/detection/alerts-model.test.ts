// Alerts after any steps (detections, actions, undo, time) are those of a model that keeps every step and looks back.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Threat } from '#contract/model.ts';
import { type Action, actOnAlert } from '#hub/identify/detection/alerts/actions.ts';
import { alertQueries } from '#hub/identify/detection/alerts/queries.ts';
import { findAlert, settleAlert } from '#hub/identify/detection/alerts/record.ts';
import { changeRule, endRuleOfAlerts } from '#hub/identify/detection/alerts/rule-actions.ts';
import { undoEvent } from '#hub/identify/detection/alerts/undo.ts';
import { insertDetection, readLabels } from '#hub/identify/detection/detection-log.ts';
import { openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { verifies } from '../../../support/verifies.ts';

const minute = 60_000;
const start = 1_790_000_000_000;
const hosts = ['192.168.1.2', '192.168.1.3'] as const;
const destinations = ['203.0.113.80', '203.0.113.81'] as const;
type Kind = 'threat' | 'beacon';

interface Sighting {
  step: 'see';
  kind: Kind;
  src: string;
  dst: string;
  dport: number;
  isStrong: boolean;
}
interface Acting {
  step: 'act';
  pick: number;
  action: 'acknowledge' | 'resolve' | 'reopen' | 'mute' | 'expect';
  scope: 'alert' | 'device' | 'network';
  minutes: number | null;
}
/** What is done to a rule: it ends, or gets another time; null: for good. */
interface RuleStep {
  step: 'rule';
  pick: number;
  change: 'end' | number | null;
}
type Step = Sighting | Acting | RuleStep | { step: 'undo'; pick: number } | { step: 'wait'; minutes: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        step: fc.constant('see' as const),
        kind: fc.constantFrom<Kind>('threat', 'beacon'),
        src: fc.constantFrom(...hosts),
        dst: fc.constantFrom(...destinations),
        dport: fc.constantFrom(443, 8443),
        isStrong: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        step: fc.constant('act' as const),
        pick: fc.nat(7),
        action: fc.constantFrom<Acting['action']>('acknowledge', 'resolve', 'reopen', 'mute', 'expect'),
        scope: fc.constantFrom<Acting['scope']>('alert', 'device', 'network'),
        minutes: fc.option(fc.integer({ min: 1, max: 5 })),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant('rule' as const),
        pick: fc.nat(7),
        change: fc.constantFrom<RuleStep['change']>('end', 2, 5, null),
      }),
    },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('undo' as const), pick: fc.nat(20) }) },
    {
      weight: 1,
      arbitrary: fc.record({ step: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 6 }) }),
    },
  ),
  { minLength: 1, maxLength: 25 },
);

interface ModelRule {
  effect: 'mute' | 'expect';
  kind: Kind | null;
  target: string;
  device: string | null;
  until: number;
  alert: ModelAlert;
  isEnded: boolean;
  /** Changes of its time that were not taken back. */
  changes: number[];
}
interface RuleEvent {
  alertId: number;
  event: number;
  rule: ModelRule;
  name: 'make' | 'change' | 'end';
  /** Of a change: the time before. */
  before: number;
}
interface ModelAlert {
  kind: Kind;
  target: string;
  device: string | null;
  level: number;
  state: 'open' | 'acknowledged' | 'resolved';
  seen: { device: string; dport: number }[];
  /** Changes of the state that can be taken back, the last one at the end: the state before. */
  changes: { event: number; before: ModelAlert['state']; ended: ModelRule[] }[];
}

/** What the model says of an alert: quiet while active rules cover each of its devices. */
function stateOf(alert: ModelAlert, rules: readonly ModelRule[], now: number): string {
  const own = rules.filter(
    (rule) =>
      !rule.isEnded &&
      rule.until > now &&
      rule.target === alert.target &&
      (rule.kind === null || rule.kind === alert.kind) &&
      (rule.device === null || alert.device === null || rule.device === alert.device),
  );
  const devices = [...new Set(alert.seen.map(({ device }) => device))];
  const covering = devices.map((device) => own.filter((rule) => rule.device === null || rule.device === device));
  if (covering.some((found) => found.length === 0)) {
    return alert.state;
  }
  return covering.every((found) => found.some(({ effect }) => effect === 'expect')) ? 'expected' : 'muted';
}

verifies('rest.alerts.model', 'the state of every alert, and what is told, follow from the steps', async () => {
  await using log = openConnectionLog();
  using reader = openReader(log);
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await log.db.write((writer) => {
        for (const table of ['alert_event', 'alert_rule', 'detection', 'alert']) {
          writer.prepare(`DELETE FROM ${table}`).run();
        }
      });
      let now = start;
      const alerts = new Map<number, ModelAlert>();
      const rules = new Map<number, ModelRule>();
      const ruleEvents: RuleEvent[] = [];
      const see = async ({ kind, src, dst, dport, isStrong }: Sighting) => {
        const threat: Threat = {
          ...{ level: 'danger', confidence: isStrong ? 'high' : 'low', source: 'feed_c2', tag: null },
          ...{ matchType: 'ip', matchValue: dst, port: null, url: null },
        };
        const detected = {
          type: kind,
          at: now,
          src,
          dst,
          dport,
          proto: 'TCP',
          threat: kind === 'threat' ? threat : null,
        };
        const { id, isTold } = await log.db.write((writer) => {
          const labels = readLabels(writer, detected);
          const found = findAlert(writer, detected, labels);
          insertDetection(writer, detected, labels, null, found.alertId);
          return { id: found.alertId, isTold: settleAlert(writer, found, now) };
        });
        const level = kind === 'threat' && isStrong ? 2 : 1;
        const known = alerts.get(id);
        const target = `${dst} ${dport}`;
        const alert: ModelAlert = known ?? {
          ...{ kind, target, device: kind === 'beacon' ? src : null, level, state: 'open' },
          ...{ seen: [], changes: [] },
        };
        expect([alert.kind, alert.target, alert.device ?? src]).toEqual([kind, target, src]);
        const isNews =
          !known ||
          alert.state === 'resolved' ||
          level > alert.level ||
          !alert.seen.some(({ device }) => device === src);
        if (isNews && alert.state !== 'open') {
          // Nothing before it can be taken back: it is no longer what was decided about.
          alert.changes = [];
          alert.state = 'open';
        }
        alert.level = Math.max(alert.level, level);
        alert.seen.push({ device: src, dport });
        alerts.set(id, alert);
        expect(isTold).toBe(isNews && stateOf(alert, [...rules.values()], now) === 'open');
      };
      const act = async ({ pick, action, scope, minutes }: Acting) => {
        const ids = [...alerts.keys()];
        const id = ids[pick % Math.max(ids.length, 1)];
        const alert = id === undefined ? undefined : alerts.get(id);
        if (id === undefined || alert === undefined) {
          return;
        }
        const device = alert.seen.at(-1)?.device;
        const until = minutes === null || action === 'expect' ? null : now + minutes * minute;
        const asked: Action =
          action === 'mute' || action === 'expect'
            ? { name: action, note: null, until, scope, device }
            : { name: action, note: null };
        const active = [...rules.values()].filter((rule) => !rule.isEnded && rule.until > now);
        if (action === 'reopen') {
          const others = active.filter((rule) => rule.alert !== alert);
          if (['muted', 'expected'].includes(stateOf(alert, others, now))) {
            await expect(
              log.db.write((writer) => actOnAlert(writer, id, asked, { actor: 'ada', now })),
            ).rejects.toThrow(expect.objectContaining({ code: 'alert_covered' }));
            return;
          }
        }
        const event = await log.db.write((writer) => actOnAlert(writer, id, asked, { actor: 'ada', now }));
        if (action === 'mute' || action === 'expect') {
          const rule: ModelRule = {
            ...{
              effect: action,
              kind: scope === 'alert' ? alert.kind : null,
              target: alert.target,
              alert,
              isEnded: false,
              changes: [],
            },
            device: scope === 'alert' ? alert.device : scope === 'device' ? (device ?? null) : null,
            until: until ?? Number.POSITIVE_INFINITY,
          };
          rules.set(event, rule);
          ruleEvents.push({ alertId: id, event, rule, name: 'make', before: rule.until });
          return;
        }
        const ended = active.filter(
          (rule) =>
            action === 'reopen' &&
            rule.alert === alert &&
            (rule.device === null || alert.seen.some((one) => one.device === rule.device)),
        );
        for (const rule of ended) {
          rule.isEnded = true;
        }
        alert.changes.push({ event, before: alert.state, ended });
        alert.state = ({ acknowledge: 'acknowledged', resolve: 'resolved', reopen: 'open' } as const)[action];
      };
      const changeOne = async ({ pick, change }: RuleStep) => {
        const made = ruleEvents.filter(({ name, rule }) => name === 'make' && !rule.isEnded && rule.until > now);
        const one = made[pick % Math.max(made.length, 1)];
        if (one === undefined) {
          return;
        }
        const { rule, alertId } = one;
        const until = typeof change === 'number' ? now + change * minute : null;
        const event = await log.db.write((writer) => {
          const id = writer.prepare('SELECT rule_id FROM alert_event WHERE id = ?').pluck().get(one.event) as number;
          const by = { actor: 'ada', now };
          return change === 'end' ? endRuleOfAlerts(writer, id, by) : changeRule(writer, id, { until }, by).event;
        });
        expect(event).toEqual({ alertId, eventId: expect.any(Number) });
        const eventId = event?.eventId ?? 0;
        ruleEvents.push({ ...one, event: eventId, name: change === 'end' ? 'end' : 'change', before: rule.until });
        if (change === 'end') {
          rule.isEnded = true;
        } else {
          rule.changes.push(eventId);
          rule.until = until ?? Number.POSITIVE_INFINITY;
        }
      };
      const undo = async (pick: number) => {
        const choices = [
          ...[...alerts].flatMap(([id, { changes }]) => changes.map(({ event }) => ({ id, event }))),
          ...ruleEvents.map(({ alertId: id, event }) => ({ id, event })),
        ];
        const choice = choices[pick % Math.max(choices.length, 1)];
        if (choice === undefined) {
          return;
        }
        const alert = alerts.get(choice.id);
        const found = ruleEvents.find(({ event }) => event === choice.event);
        const last = alert?.changes.at(-1);
        const isActive = found !== undefined && !found.rule.isEnded && found.rule.until > now;
        const canUndo = found
          ? found.name === 'end' || (isActive && (found.name === 'make' || found.rule.changes.at(-1) === found.event))
          : last?.event === choice.event;
        const { history } = alertQueries.alertDetail(reader, { id: choice.id, now });
        expect(history.find(({ id }) => id === choice.event)?.canUndo ?? false).toBe(canUndo);
        const undoing = log.db.write((writer) => undoEvent(writer, choice.id, choice.event, { actor: 'ada', now }));
        if (!canUndo) {
          await expect(undoing).rejects.toThrow(expect.objectContaining({ code: 'alert_changed' }));
          return;
        }
        const { hasLapsed } = await undoing;
        const ended = found ? (found.name === 'end' ? [found.rule] : []) : (last?.ended ?? []);
        const isOver = found?.name === 'change' && found.before <= now;
        expect(hasLapsed).toBe(isOver || ended.some(({ until }) => until <= now));
        for (const one of ended) {
          // A mute whose time is over stays ended, since its time says so.
          one.isEnded = one.until <= now;
        }
        if (found) {
          if (found.name === 'change') {
            found.rule.until = found.before;
            found.rule.changes.pop();
          }
          found.rule.isEnded ||= found.name === 'make';
          ruleEvents.splice(
            ruleEvents.findIndex(({ event }) => event === choice.event),
            1,
          );
        } else if (alert && last) {
          alert.state = last.before;
          alert.changes.pop();
        }
      };
      for (const step of all) {
        now += 1;
        if (step.step === 'see') {
          await see(step);
        } else if (step.step === 'act') {
          await act(step);
        } else if (step.step === 'rule') {
          await changeOne(step);
        } else if (step.step === 'undo') {
          await undo(step.pick);
        } else {
          now += step.minutes * minute;
        }
        const page = alertQueries.alerts(reader, { query: {}, now });
        const expected = [...alerts].map(([id, alert]) => [id, stateOf(alert, [...rules.values()], now)]);
        expect(page.alerts.map(({ id, state }) => [id, state]).toSorted()).toEqual(expected.toSorted());
      }
    }),
    { numRuns: 60 },
  );
});
