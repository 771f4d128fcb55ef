// What alerts refuse, and what their list finds and counts, on a log without a hub around it.
import { expect, test } from 'vitest';
import { alertLimits } from '#contract/alert-limits.ts';
import type { Threat } from '#contract/model.ts';
import { toResolvedEvent } from '#hub/identify/detection/alert-message.ts';
import { type Action, actOnAlert } from '#hub/identify/detection/alerts/actions.ts';
import { alertQueries, readAlert } from '#hub/identify/detection/alerts/queries.ts';
import { changeRule, endRuleOfAlerts } from '#hub/identify/detection/alerts/rule-actions.ts';
import { insertRule } from '#hub/identify/detection/alerts/rules.ts';
import { undoEvent } from '#hub/identify/detection/alerts/undo.ts';
import type { Detected } from '#hub/identify/detection/detection-log.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { type ConnectionLog, openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { recordDetection } from '../../../support/detections.ts';

const now = 1_790_000_000_000;
const by = { actor: 'ada', now };
const threat: Threat = {
  level: 'danger',
  confidence: 'high',
  source: 'feed_ioc',
  tag: 'Quiet Bot',
  matchType: 'ip',
  matchValue: 'x',
  port: null,
  url: null,
};

const contact = (src: string, dst = '203.0.113.80'): Detected => {
  return { type: 'threat', at: now, src, dst, dport: 443, proto: 'TCP', threat };
};

const cover = (name: 'mute' | 'expect', more: Partial<Extract<Action, { scope: unknown }>> = {}): Action => {
  return { name, note: null, until: null, scope: 'alert', device: undefined, ...more };
};

function readAll({ db }: ConnectionLog): unknown {
  return ['alert', 'alert_rule', 'alert_event'].map((table) => db.prepare(`SELECT * FROM ${table}`).all());
}

/** The code and the message with which `work` is refused; everything is as it was before. */
async function refuse(log: ConnectionLog, work: (writer: Writer) => unknown): Promise<unknown> {
  const before = readAll(log);
  const reason: unknown = await log.db.write((writer) => void work(writer)).catch((error: unknown) => error);
  expect(readAll(log)).toEqual(before);
  const { code, message } = reason as { code: string; message: string };
  return `${code}: ${message}`;
}

test('each refusal has its code, says what to do, and changes nothing', async () => {
  await using log = openConnectionLog();
  const id = await recordDetection(log, contact('10.0.0.1'));
  const other = await recordDetection(log, { ...contact('10.0.0.1'), type: 'beacon', intervalMs: 60_000, obsCount: 9 });
  const fresh = await recordDetection(log, { type: 'new_device', at: now, src: '10.0.0.9' });
  for (let device = 2; device <= 12; device += 1) {
    await recordDetection(log, { ...contact(`10.0.0.${device}`), at: now + device });
  }
  const own = await log.db.write((writer) => actOnAlert(writer, id, cover('mute'), by));
  await log.db.write((writer) => actOnAlert(writer, other, cover('expect', { scope: 'network' }), by));
  const act = (alertId: number, action: Action) =>
    refuse(log, (writer) => actOnAlert(writer, alertId, action, { ...by, now: now + 1 }));
  const resolve: Action = { name: 'resolve', note: null };
  expect(await act(99, resolve)).toBe('not_found: there is no alert 99; GET /api/alerts lists them');
  expect(await act(fresh, cover('mute', { scope: 'network' }))).toMatch(/^alert_scope: .*use the scope alert$/);
  expect(await act(id, cover('expect', { scope: 'device', device: '10.0.1.1' }))).toMatch(/^alert_scope: .*10\.0\.0\./);
  // Of twelve devices, the message names ten.
  const choice = String(await act(id, cover('expect', { scope: 'device' })));
  expect(choice.match(/10\.0\.0\.\d+/g)).toHaveLength(10);
  // The rule of the other alert covers this one too; its own rule stays.
  expect(await act(id, { name: 'reopen', note: null })).toBe(
    'alert_covered: this alert is kept quiet by rule 2: end that instead',
  );
  const refused = (work: (writer: Writer) => unknown) => refuse(log, work);
  expect(await refused((writer) => undoEvent(writer, id, 99, by))).toMatch(/^not_found: this alert has no such event/);
  expect(await refused((writer) => undoEvent(writer, other, own, by))).toMatch(/^not_found: this alert has no such/);
  expect(await refused((writer) => changeRule(writer, 99, {}, by))).toMatch(/^not_found: there is no active rule/);
  expect(await refused((writer) => endRuleOfAlerts(writer, 99, by))).toMatch(/^not_found: there is no active rule/);
  expect(await refused((writer) => readAlert(writer, 99, now))).toMatch(/^not_found: there is no alert 99/);
});

test('a thousand active rules are the most; one that ended, or whose time is over, does not count', async () => {
  await using log = openConnectionLog();
  const id = await recordDetection(log, contact('10.0.0.1'));
  const rule = { effect: 'mute', scope: 'alert', kind: 'threat', target: null, device: 'none', until: null } as const;
  const insert = (count: number, until: number | null) =>
    log.db.write((writer) => {
      const rules = Array.from({ length: count }, () =>
        insertRule(writer, { ...rule, until, reason: null, alertId: null, by: 'ada', createdAt: now }),
      );
      return rules[0] ?? 0;
    });
  const first = await insert(alertLimits.alertRules - 1, null);
  await insert(1, now);
  await log.db.write((writer) => actOnAlert(writer, id, cover('mute'), by));
  const mute = (writer: Writer) => actOnAlert(writer, id, cover('mute'), by);
  expect(await refuse(log, mute)).toBe('rule_limit: there are 1000 rules: end some that are no longer needed');
  await log.db.write((writer) => void endRuleOfAlerts(writer, first, by));
  await log.db.write((writer) => void mute(writer));
});

test('a rule that is changed changes its alert, and ends it or not by its new time', async () => {
  await using log = openConnectionLog();
  const id = await recordDetection(log, contact('10.0.0.1'));
  await log.db.write((writer) => actOnAlert(writer, id, cover('mute', { until: now + 100 }), by));
  const change = (until: number | null) =>
    log.db.write((writer) => void changeRule(writer, 1, { until, reason: 'longer' }, by));
  const read = (at: number) => {
    using reader = openReader(log);
    const { state, until, since } = readAlert(reader, id, at);
    return { state, until, since };
  };
  expect(read(now + 100)).toEqual({ state: 'open', until: null, since: now + 100 });
  await change(now + 200);
  expect(read(now + 199)).toEqual({ state: 'muted', until: now + 200, since: now });
  expect(read(now + 200)).toEqual({ state: 'open', until: null, since: now + 200 });
  await change(null);
  expect(read(now + 10_000)).toEqual({ state: 'muted', until: null, since: now });
});

test('the text finds alerts by all that they show, in either case, and counts are of all of them', async () => {
  await using log = openConnectionLog();
  const names = { host: 'evil.example', org: 'Cloud One', country: 'DE' };
  const device = { mac: '02:00:00:00:00:01', vendor: 'Acme', dnsName: 'desk.lan', mdnsName: 'Desk' };
  {
    using reader = openReader(log);
    expect(alertQueries.alerts(reader, { query: {}, now })).toMatchObject({ alerts: [], clearSince: null, urgent: 0 });
  }
  await log.record([{ src: '10.0.0.1', dst: '203.0.113.80', dport: 443, proto: 'TCP' }]);
  await log.describe('destination', '203.0.113.80', names);
  const named = await recordDetection(log, { ...contact('10.0.0.1'), device });
  const bare = await recordDetection(log, { type: 'new_device', at: now + 1, src: '10.0.0.2' });
  const find = (query: Parameters<typeof alertQueries.alerts>[1]['query'], at = now + 2) => {
    using reader = openReader(log);
    return alertQueries.alerts(reader, { query, now: at });
  };
  const words = [
    'EVIL',
    'cloud one',
    'de',
    'FEED_IOC',
    'quiet bot',
    'ACME',
    'Desk.lan',
    '02:00:00:00:00:01',
    '10.0.0.1',
  ];
  for (const q of [...words, '203.0.113.80']) {
    expect([q, find({ q }).alerts.map(({ id }) => id)]).toEqual([q, [named]]);
  }
  expect(find({ q: 'nothing' }).alerts).toEqual([]);
  expect(find({})).toMatchObject({ urgent: 1, clearSince: null, counts: { open: 2, resolved: 0 } });
  const act = (id: number, action: Action, at: number) =>
    log.db.write((writer) => actOnAlert(writer, id, action, { ...by, now: at }));
  await act(named, { name: 'resolve', note: 'Cleaned up' }, now + 3);
  expect(find({ q: 'cleaned' }).alerts.map(({ id }) => id)).toEqual([named]);
  expect(find({})).toMatchObject({ urgent: 0, clearSince: null, handled: 1, counts: { open: 1, resolved: 1 } });
  await act(bare, { name: 'acknowledge', note: null }, now + 5);
  expect(find({}, now + 6)).toMatchObject({ urgent: 0, clearSince: now + 5, handled: 1, counts: { acknowledged: 1 } });
  using reader = openReader(log);
  const { history } = alertQueries.alertDetail(reader, { id: named, now: now + 6 });
  expect(history.map(({ action, canUndo }) => [action, canUndo])).toEqual([['resolve', true]]);
});

test('a message that an alert is resolved has the title of its kind', async () => {
  await using log = openConnectionLog();
  const retro = { flows: 1, connections: [], firstSeen: 1, lastSeen: 2, previousAt: null, listedAt: 3 };
  const cases: [Partial<Detected>, string][] = [
    [{}, 'Known-bad destination'],
    [{ threat: { ...threat, level: 'warn', confidence: 'low' } }, 'Possibly bad destination'],
    [{ type: 'beacon' }, 'Regular beacon to a listed destination'],
    [{ type: 'beacon', threat: null }, 'Regular beacon'],
    [{ type: 'new_device', threat: null }, 'New device'],
    [
      {
        type: 'retro_match',
        retro: { ...retro, cause: 'settings', feed: 'feed_ioc', level: 'danger', isOngoing: false },
      },
      'Contacted before its rating changed',
    ],
    [
      { type: 'retro_match', retro: { ...retro, cause: 'list', feed: 'feed_ioc', level: 'danger', isOngoing: false } },
      'Contacted before it was listed',
    ],
  ];
  for (const [index, [changes, title]] of cases.entries()) {
    const id = await recordDetection(log, {
      ...contact(`10.0.1.${index}`, `203.0.113.${index}`),
      ...changes,
    } as Detected);
    using reader = openReader(log);
    const message = toResolvedEvent('key', readAlert(reader, id, now), index === 0 ? null : 'ada', now);
    expect(message.title).toBe(`Resolved: ${title}`);
    expect(message.facts.map(({ value }) => value)).toContain(
      index === 0 ? 'the hub: no list names the destination any more' : 'ada',
    );
  }
});
