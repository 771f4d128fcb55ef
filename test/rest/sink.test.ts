// The sink inside a whole hub: status, an outage of an hour, restarts, a restore, and nothing of it in the way of the hub.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { startLab } from '../support/lab.ts';
import { rowsOfLog, rowsOfServer, sinkSettingsFor } from '../support/sink-lab.ts';

const hour = 3_600_000;
const minute = 60_000;

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startClickHouse());
  const lab = opened.use(
    await startLab({
      routers: { home: { kind: 'vendor_a', sessions: 8, traffic: true, seed: 7 } },
      hub: { sink: sinkSettingsFor(server) },
    }),
  );
  const held = opened.move();
  return {
    server,
    lab,
    status: async () => {
      const { sink, warnings } = await lab.as.admin.status.status({});
      return { ...sink, warnings };
    },
    /** The table, once it is what the log is up to now. */
    async isInStep() {
      const db = new Db(path.join(lab.dataDir, 'monitor.db'));
      try {
        const expected = rowsOfLog({ db }, lab.clock.now() - 5 * minute);
        expect(expected.length).toBeGreaterThan(0);
        expect(rowsOfServer(server)).toEqual(expected);
      } finally {
        await db.close();
      }
    },
    /** So long, a poll each half hour. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 30 * minute) {
        await lab.skip(30 * minute);
      }
      await lab.advance(minute);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test('closed hours arrive, and status tells what is there', async () => {
  await using scene = await startScene();
  await scene.pass(hour);
  await scene.isInStep();
  expect(await scene.status()).toMatchObject({
    ...{ server: scene.server.url.origin, hub: 'attic', hoursNotSent: 0, rowsNotSent: 0, oldestNotSentAt: null },
    ...{ lastError: null, nextTryAt: null, lostHours: 0, refusedHours: 0, warnings: [] },
    lastSentAt: expect.any(Number),
    storedRows: expect.any(Number),
    storedBytes: expect.any(Number),
  });
});

test('without a sink there is none in the status; in offline mode it is not asked, which is a warning', async () => {
  await using lab = await startLab();
  expect(await lab.as.admin.status.status({})).toMatchObject({ sink: null, warnings: [] });
  await using server = await startClickHouse();
  await using offline = await startLab({ hub: { sink: sinkSettingsFor(server), offline: true } });
  await offline.advance(5000);
  const warnings = ['nothing is sent to ClickHouse: MONITOR_OFFLINE_MODE is on'];
  expect(await offline.as.admin.status.status({})).toMatchObject({ sink: null, warnings });
  expect(server.journal()).toEqual([]);
});

test('a server that is away for hours holds nothing up; then everything is there, once', async () => {
  await using scene = await startScene();
  await scene.pass(hour);
  scene.server.fail('unavailable');
  await scene.pass(hour);
  const away = await scene.status();
  expect(away).toMatchObject({ hoursNotSent: 1, lastError: expect.stringContaining('503') });
  expect(away.nextTryAt).toBeLessThanOrEqual(scene.lab.clock.now() + 10 * minute);
  await scene.lab.restart();
  scene.server.clearFaults();
  await scene.pass(30 * minute);
  await scene.isInStep();
  expect(await scene.status()).toMatchObject({ hoursNotSent: 0, lastError: null });
  expect(scene.server.rows.repeated).toBe(0);
});

test('a clock that is put back by a day holds nothing up, and nothing counts as lost', async () => {
  await using scene = await startScene();
  const { lab, server } = scene;
  await scene.pass(hour);
  server.fail('unavailable', { times: 1 });
  await scene.pass(hour);
  lab.clock.put(lab.clock.now() - 24 * hour);
  const sent = server.rows.held().length;
  for (let half = 0; half < 6; half += 1) {
    // The connection to the router begins anew.
    await lab.throughSilence(lab.skip(30 * minute));
  }
  await lab.throughSilence(lab.advance(minute));
  expect(server.rows.held().length).toBeGreaterThan(sent);
  expect(await scene.status()).toMatchObject({ hoursNotSent: 0, lostHours: 0, lastError: null });
});

test('hours of a clock that was ahead are other hours when they come, and what was sent before is not sent again', async () => {
  await using scene = await startScene();
  const { lab, server } = scene;
  await scene.pass(hour);
  const right = lab.clock.now();
  const before = server.rows.held();
  expect(before.length).toBeGreaterThan(0);
  lab.clock.put(right + 5 * hour);
  await lab.throughSilence(scene.pass(3 * hour));
  expect(server.rows.held().length).toBeGreaterThan(before.length);
  const hours = () => {
    const db = new Db(path.join(lab.dataDir, 'monitor.db'));
    const rows = db.prepare('SELECT hour, digest FROM sink_hour ORDER BY hour').all() as {
      hour: number;
      digest: Buffer;
    }[];
    return db.close().then(() => rows);
  };
  const closed = (await hours()).filter((one) => one.hour * hour < right - hour);
  lab.clock.put(right + 3 * hour + 2 * minute);
  await lab.throughSilence(lab.advance(2 * minute));
  const known = await hours();
  expect(known.filter((one) => (one.hour + 1) * hour > lab.clock.now())).toEqual([]);
  expect(known.slice(0, closed.length)).toEqual(closed);
  for (let half = 0; half < 10; half += 1) {
    await lab.throughSilence(lab.skip(30 * minute));
  }
  await lab.throughSilence(lab.advance(minute));
  // None waits for the daily comparison of all hours.
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const wanted = rowsOfLog({ db }, lab.clock.now() - 5 * minute);
  await db.close();
  expect(rowsOfServer(server)).toEqual(expect.arrayContaining(wanted));
  expect(await scene.status()).toMatchObject({ hoursNotSent: 0, lostHours: 0, lastError: null });
});

test('a database that is locked when it begins is tried again', async () => {
  await using server = await startClickHouse();
  await using lab = await startLab({ hub: { sink: sinkSettingsFor(server) } });
  const other = new Database(path.join(lab.dataDir, 'monitor.db'));
  other.exec('BEGIN IMMEDIATE');
  await lab.advance(5000);
  const sink = async () => (await lab.as.admin.status.status({})).sink;
  expect((await sink())?.lastError).toMatch(/another program/);
  other.close();
  await lab.advance(minute);
  expect(await sink()).toMatchObject({ lastError: null, nextTryAt: null });
});

test('a backup from before there was a sink does not lower the version', async () => {
  await using server = await startClickHouse();
  await using lab = await startLab({ routers: { home: { kind: 'vendor_a', sessions: 8, traffic: true, seed: 7 } } });
  const { name } = await lab.as.admin.backup.create({ body: {} });
  await lab.restart({ sink: sinkSettingsFor(server) });
  for (let half = 0; half < 3; half += 1) {
    await lab.skip(30 * minute);
  }
  await lab.advance(minute);
  const version = async () => {
    const db = new Db(path.join(lab.dataDir, 'monitor.db'));
    const found = db.prepare('SELECT version FROM sink_state').pluck().get();
    await db.close();
    return Number(found);
  };
  const before = await version();
  expect(before).toBeGreaterThan(0);
  await lab.as.admin.backup.restore({ body: { name } });
  expect(await version()).toBe(before);
});

test('after a restore the log is sent again, with versions above those of before', async () => {
  await using scene = await startScene();
  await scene.pass(hour);
  const { name } = await scene.lab.as.admin.backup.create({ body: {} });
  await scene.pass(hour);
  await scene.lab.as.admin.backup.restore({ body: { name } });
  await scene.lab.settled();
  await scene.pass(hour);
  const db = new Db(path.join(scene.lab.dataDir, 'monitor.db'));
  const log = rowsOfLog({ db }, scene.lab.clock.now() - 5 * minute);
  await db.close();
  expect(rowsOfServer(scene.server)).toEqual(expect.arrayContaining(log));
  expect(await scene.status()).toMatchObject({ hoursNotSent: 0, lastError: null });
});
