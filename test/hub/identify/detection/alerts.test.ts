// Alerts beside what they follow: the log of an earlier schema, retention, threat lists, dismissed beacons.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { actOnAlert, expectBeacon } from '#hub/identify/detection/alerts/actions.ts';
import { alertQueries } from '#hub/identify/detection/alerts/queries.ts';
import { undoEvent } from '#hub/identify/detection/alerts/undo.ts';
import { settleUnlistedAlerts } from '#hub/identify/detection/alerts/unlisted.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { root } from '../../../../scripts/sources.ts';
import { type ConnectionLog, openConnectionLog, openReader, seen } from '../../../support/connection-log.ts';
import { insertBeacon, recordDetection } from '../../../support/detections.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { verifies } from '../../../support/verifies.ts';

const now = 1_790_000_000_000;
const day = 86_400_000;
const flow = { src: '192.168.1.2', dst: '203.0.113.80', dport: 443, proto: 'TCP' };

function readPage(log: ConnectionLog, at = now) {
  using reader = openReader(log);
  return alertQueries.alerts(reader, { query: {}, now: at });
}

const states = (log: ConnectionLog) => readPage(log).alerts.map(({ state }) => state);

verifies(
  'rest.alerts.upgrade',
  'detections of an earlier schema become alerts: old ones resolved, dismissed beacons expected',
  async () => {
    using folder = temporaryFolder();
    const earlier = path.join(folder.path, 'earlier');
    const migrations = path.join(root, 'src/hub/base/migrations');
    mkdirSync(earlier);
    for (const name of readdirSync(migrations).filter((one) => one < '026')) {
      cpSync(path.join(migrations, name), path.join(earlier, name));
    }
    const file = path.join(folder.path, 'monitor.db');
    migrate(file, earlier);
    const before = new Db(file);
    await before.write((writer) => {
      const insert = writer.prepare(
        `INSERT INTO detection (type, detected_at, src, src_mac, dst, dst_host, dport, proto, threat_confidence)
       VALUES (@type, @at, @src, @mac, @dst, @host, @dport, 'TCP', @confidence)`,
      );
      const add = (type: string, at: number, rest: object) =>
        insert.run({ type, at, src: 'a', mac: null, dst: null, host: null, dport: null, confidence: null, ...rest });
      add('threat', now - 20 * day, { dst: 'x', dport: 443, confidence: 'high' });
      add('threat', now - day, { dst: 'y', host: 'Evil.example', dport: 443, confidence: 'low' });
      add('threat', now, { src: 'b', dst: 'z', host: 'evil.example', dport: 80, confidence: 'high' });
      add('new_device', now, { mac: '02:00:00:00:00:01' });
      add('beacon', now, { dst: 'y', dport: 443 });
      writer
        .prepare(
          `INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
           status) VALUES ('a', 'y', 443, 'TCP', 1, 0, 1, 9, 1, 2, 3, 'dismissed')`,
        )
        .run();
    });
    await before.close();
    migrate(file, migrations);
    const after = new Db(file);
    expect(
      after.prepare('SELECT cause, level, state, quiet, last_at - first_at AS ms FROM alert ORDER BY cause').all(),
    ).toEqual([
      { cause: 'beacon|y 443|a', level: 1, state: 'open', quiet: 'expected', ms: 0 },
      { cause: 'new_device|02:00:00:00:00:01', level: 0, state: 'resolved', quiet: null, ms: 0 },
      { cause: 'threat|evil.example', level: 2, state: 'open', quiet: null, ms: day },
      { cause: 'threat|x 443', level: 2, state: 'resolved', quiet: null, ms: 0 },
    ]);
    expect(after.prepare('SELECT count(*) FROM detection WHERE alert_id IS NULL').pluck().get()).toBe(0);
    await after.close();
  },
);

test('an alert goes with its last detection, and its rules stay', async () => {
  await using log = openConnectionLog();
  const id = await recordDetection(log, { type: 'threat', at: now, ...flow });
  await recordDetection(log, { type: 'threat', at: now + 1, ...flow, src: '192.168.1.3' });
  const action = { name: 'expect', note: null, until: null, scope: 'network', device: undefined } as const;
  await log.db.write((writer) => actOnAlert(writer, id, action, { actor: 'ada', now }));
  const forget = (at: number) =>
    log.db.write((writer) => void writer.prepare('DELETE FROM detection WHERE detected_at = ?').run(at));
  await forget(now);
  expect(readPage(log).alerts).toEqual([expect.objectContaining({ id, deviceCount: 1, times: 1 })]);
  await forget(now + 1);
  expect(readPage(log).alerts).toEqual([]);
  using reader = openReader(log);
  expect(alertQueries.alertRules(reader, { q: undefined, now }).rules).toEqual([
    expect.objectContaining({ alertId: null, target: '203.0.113.80 443' }),
  ]);
});

verifies(
  'rest.alerts.unlisted',
  'alerts whose destinations no list names any more are closed; beacons, and what is listed still, are not',
  async () => {
    await using log = openConnectionLog();
    const listed = { ...flow, dst: '203.0.113.81' };
    await log.record([seen(flow), seen(listed)]);
    const id = await recordDetection(log, { type: 'threat', at: now, ...flow });
    await recordDetection(log, { type: 'beacon', at: now + 1, ...flow });
    await recordDetection(log, { type: 'threat', at: now + 2, ...listed });
    for (const { dst } of [flow, listed]) {
      await log.judge(dst, {});
    }
    const close = () => log.db.write((writer) => settleUnlistedAlerts(writer, () => false, now + 3).closed);
    expect(await close()).toEqual([]);
    await log.judge(flow.dst, null);
    expect(await close()).toEqual([{ id, eventId: expect.any(Number) }]);
    expect(readPage(log, now + 3).alerts.map(({ kind, state, since }) => [kind, state, since])).toEqual([
      ['threat', 'open', now + 2],
      ['beacon', 'open', now + 1],
      ['threat', 'resolved', now + 3],
    ]);
    expect(await close()).toEqual([]);
  },
);

verifies(
  'rest.alerts.beacon',
  'a beacon is dismissed while its alert is expected, whichever of both is said',
  async () => {
    await using log = openConnectionLog();
    await insertBeacon(log, flow);
    const id = await recordDetection(log, { type: 'beacon', at: now, ...flow });
    const by = { actor: 'ada', now };
    const status = () => log.db.prepare('SELECT status FROM beacon').pluck().get();
    const action = { name: 'expect', note: null, until: null, scope: 'device', device: undefined } as const;
    const event = await log.db.write((writer) => actOnAlert(writer, id, action, by));
    expect(status()).toBe('dismissed');
    await log.db.write((writer) => void undoEvent(writer, id, event, by));
    expect([status(), states(log)]).toEqual(['candidate', ['open']]);
    await log.db.write((writer) => expectBeacon(writer, flow, by));
    await log.db.write((writer) => expectBeacon(writer, flow, by));
    expect([status(), states(log)]).toEqual(['dismissed', ['expected']]);
    expect(log.db.prepare('SELECT count(*) FROM alert_rule WHERE ended_at IS NULL').pluck().get()).toBe(1);
  },
);
