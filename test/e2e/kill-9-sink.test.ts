// The hub is killed without warning while it sends: before the server has an insert, after it, and between two. In the end no
// row is missing in ClickHouse and none is there twice.
import path from 'node:path';
import { expect, test } from 'vitest';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { seen } from '../support/connection-log.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { rowsOfLog, rowsOfServer } from '../support/sink-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-kill-9-sink-test';
const hours = 30;
const flowsOfHour = 1000;
const hourMs = 3_600_000;

test('a hub killed while it sends: every row is there, once', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  const end = await recordHours(file);
  await using server = await startClickHouse();
  const env = {
    MONITOR_CLICKHOUSE_URL: server.url.origin,
    MONITOR_CLICKHOUSE_PASSWORD: server.settings.writer.password,
    MONITOR_CLICKHOUSE_HUB: 'attic',
  };
  const requests = () => server.journal().filter(({ kind }) => kind === 'request').length;
  for (const fault of ['no-answer', 'lost-answer', null] as const) {
    const before = { requests: requests(), inserted: server.rows.inserted };
    if (fault !== null) {
      server.fail(fault);
    }
    await using hub = await startHubProcess({ dataDir: folder.path, adminToken, env });
    await expect
      .poll(() => (fault === 'no-answer' ? requests() > before.requests : server.rows.inserted > before.inserted))
      .toBe(true);
    hub.program.kill('SIGKILL');
    expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    server.clearFaults();
  }
  await using hub = await startHubProcess({ dataDir: folder.path, adminToken, env });
  await expect
    .poll(async () => {
      const { sink } = await hub.as.admin.status.status({});
      return sink !== null && sink.lastSentAt !== null && sink.hoursNotSent === 0;
    })
    .toBe(true);
  const db = new Db(file);
  const expected = rowsOfLog({ db }, end);
  await db.close();
  expect(expected).toHaveLength(hours * flowsOfHour);
  expect(rowsOfServer(server)).toEqual(expected);
  expect(server.rows.repeated).toBe(0);
});

/** Returns when the last of the hours ended. */
async function recordHours(file: string): Promise<number> {
  migrate(file, path.join(import.meta.dirname, '../../src/hub/base/migrations'));
  const db = new Db(file);
  const now = systemClock.now();
  const end = now - (now % hourMs) - hourMs;
  for (let hour = 0; hour < hours; hour += 1) {
    const at = end - (hours - hour) * hourMs;
    const observations = Array.from({ length: flowsOfHour }, (_, flow) => seen({ dport: flow, at: at + flow * 7 }));
    await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations, now });
  }
  await db.close();
  return end;
}
