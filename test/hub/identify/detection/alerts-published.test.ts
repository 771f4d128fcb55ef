// What pages and the chat workspace learn of alerts: which changed, when a mute ends, and what the hub closes itself.
import { expect, test } from 'vitest';
import { alertLimits } from '#contract/alert-limits.ts';
import { actOnAlert } from '#hub/identify/detection/alerts/actions.ts';
import { startAlerts } from '#hub/identify/detection/alerts/alerts.ts';
import { alertQueries } from '#hub/identify/detection/alerts/queries.ts';
import { changeRule } from '#hub/identify/detection/alerts/rule-actions.ts';
import type { Resolution } from '#hub/identify/detection/alerts/tell-resolved.ts';
import type { Log } from '#kernel/process/log.ts';
import { openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';
import { insertBeacon, recordDetection } from '../../../support/detections.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const flow = { src: '192.168.1.2', dst: '203.0.113.80', dport: 443, proto: 'TCP' };
const listed = { ...flow, dst: '203.0.113.81' };

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const clock = new ManualClock();
  const published: unknown[] = [];
  const resolved: Resolution[] = [];
  const alerts = opened.use(
    startAlerts({
      ...{ db: log.db, clock, log: {} as Log },
      live: { publish: (name: string, data: unknown) => void published.push([name, data]) },
      tellResolved: (_writer, resolution) => void resolved.push(resolution),
    }),
  );
  const held = opened.move();
  return {
    ...{ log, clock, alerts, resolved },
    /** Since the last call. */
    published: () => published.splice(0),
    see: (one: typeof flow) => recordDetection(log, { type: 'threat', at: clock.now(), ...one }),
    event: (ids: number[], open: number) => ['alerts', { ids, open, serverTime: clock.now() }],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test('each alert is named once; of more than a page can take none is named, and how many are open is told always', async () => {
  await using scene = await startScene();
  const id = await scene.see(flow);
  scene.alerts.publish([id, id]);
  scene.alerts.publish(Array.from({ length: alertLimits.alertsAtOnce }, (_, index) => index));
  scene.alerts.publish(Array.from({ length: alertLimits.alertsAtOnce + 1 }, (_, index) => index));
  scene.alerts.publish([]);
  const most = Array.from({ length: alertLimits.alertsAtOnce }, (_, index) => index);
  expect(scene.published()).toEqual([[id], most, [], []].map((ids) => scene.event(ids, 1)));
});

test('the end of a mute is told within fifteen seconds, once', async () => {
  await using scene = await startScene();
  const { clock, log } = scene;
  const id = await scene.see(flow);
  const mute = (until: number | null) =>
    log.db.write((writer) => {
      const action = { name: 'mute', note: null, until, scope: 'alert', device: undefined } as const;
      actOnAlert(writer, id, action, { actor: 'ada', now: clock.now() });
    });
  await mute(clock.now() + 30_000);
  await clock.advance(29_999);
  expect(scene.published()).toEqual([]);
  await clock.advance(1);
  expect(scene.published()).toEqual([scene.event([id], 1)]);
  await clock.advance(60_000);
  expect(scene.published()).toEqual([]);
  await mute(clock.now() + 1);
  await mute(null);
  await clock.advance(60_000);
  expect(scene.published()).toEqual([]);
});

test('a beacon is a candidate again when the rule that expects it ends by itself', async () => {
  await using scene = await startScene();
  const { clock, log } = scene;
  await insertBeacon(log, flow);
  const id = await recordDetection(log, { type: 'beacon', at: clock.now(), ...flow });
  const by = () => ({ actor: 'ada', now: clock.now() });
  const action = { name: 'expect', note: null, until: null, scope: 'alert', device: undefined } as const;
  await log.db.write((writer) => actOnAlert(writer, id, action, by()));
  const status = () => log.db.prepare('SELECT status FROM beacon').pluck().get();
  await log.db.write((writer) => void changeRule(writer, 1, { until: clock.now() + 20_000 }, by()));
  await clock.advance(19_999);
  expect([status(), scene.published()]).toEqual(['dismissed', []]);
  await clock.advance(15_000);
  expect([status(), scene.published()]).toEqual(['candidate', [['alerts', expect.objectContaining({ ids: [id] })]]]);
  using reader = openReader(log);
  const [alert] = alertQueries.alerts(reader, { query: {}, now: clock.now() }).alerts;
  expect(alert).toMatchObject({ state: 'open', since: clock.now() - 14_999 });
});

test('what no list names any more is closed by the hub, told and published; while all is listed nothing is said', async () => {
  await using scene = await startScene();
  const { log, clock, alerts } = scene;
  await log.record([seen(flow), seen(listed)]);
  const id = await scene.see(flow);
  await scene.see(listed);
  for (const { dst } of [flow, listed]) {
    await log.judge(dst, {});
  }
  expect([await alerts.settleUnlisted(() => false), scene.published()]).toEqual([false, []]);
  await log.judge(flow.dst, null);
  expect([await alerts.settleUnlisted(() => false), scene.published()]).toEqual([true, [scene.event([id], 1)]]);
  const eventId = log.db.prepare("SELECT id FROM alert_event WHERE action = 'unlisted'").pluck().get();
  expect(scene.resolved).toEqual([{ id, eventId, by: null, now: clock.now() }]);
  expect([await alerts.settleUnlisted(() => false), scene.published()]).toEqual([false, []]);
});
