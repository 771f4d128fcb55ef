// A hub whose database is beyond its limit of size: what it removes, what it says, and what it goes on from after a restart.
import path from 'node:path';
import { expect } from 'vitest';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { openReader, seen } from '../support/connection-log.ts';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const hour = 3_600_000;
const day = 24 * hour;
const limit = 10_000_000;

/** Days ago of which the hub has a detection, and of which it says that they were observed. */
function readDays(lab: Lab<never>, now: number) {
  using reader = openReader({ db: { file: path.join(lab.dataDir, 'monitor.db') } as Db });
  const days = (sql: string) =>
    (reader.prepare(sql).pluck().all() as number[]).map((at) => Math.round((now - at) / day));
  return {
    detections: days("SELECT detected_at FROM detection WHERE src = 'a' ORDER BY 1"),
    observed: days('SELECT since FROM coverage_span WHERE subject = 99 ORDER BY 1'),
  };
}

/** Records as many flows for each of the past days, a detection and a minute that was observed. */
async function fillDays(lab: Lab<never>, days: readonly number[], flows: number) {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const now = lab.clock.now();
  for (const ago of days) {
    const observations = Array.from({ length: flows }, (_, index) =>
      seen({ at: now - ago * day, dport: index, src: `192.168.1.${ago}`, dst: `203.0.${ago}.${index % 100}` }),
    );
    await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations, now });
    await db.write((writer) => {
      const at = now - ago * day;
      writer.prepare("INSERT INTO detection (type, src, detected_at) VALUES ('new_device', 'a', ?)").run(at);
      writer.prepare("INSERT OR IGNORE INTO coverage_subject VALUES (99, 'router', 'home', 'home', '[]', NULL)").run();
      writer.prepare('INSERT INTO coverage_span VALUES (99, ?, ?, 60000, NULL, 1, 0)').run(at, at + 60_000);
    });
  }
  await db.close();
}

verifies('rest.status.retention', 'bytes in use, bytes a day, and the day on which the limit is reached', async () => {
  await using lab = await startLab();
  const read = async () => (await lab.as.admin.status.status({})).retention;
  expect(await read()).toMatchObject({ limitBytes: null, bytesPerDay: null, fullAt: null, since: null });
  await fillDays(lab, [9, 8, 7, 6, 5, 4, 3, 2], 9000);
  await lab.advance(hour);
  await eventually(read, ({ bytesPerDay }) => bytesPerDay !== null || undefined);
  const full = await read();
  expect(full.usedBytes).toBeGreaterThan(limit);
  expect(full).toMatchObject({ limitBytes: null, fullAt: null });
  await lab.as.admin.config.saveGeneral({ body: { retentionBytes: limit } });
  await lab.advance(hour);
  const settled = await eventually(read, (now) =>
    now.usedBytes <= limit && now.bytesPerDay !== null ? now : undefined,
  );
  expect(settled.limitBytes).toBe(limit);
  const at = lab.clock.now();
  const left = (limit - settled.usedBytes) / (settled.bytesPerDay as number);
  expect(Math.abs((settled.fullAt as number) - at - left * day)).toBeLessThan(1000);
  // The newest rows are all there, the oldest none.
  const total = async (from: number, to: number) => {
    const query = { from: String(at - from * day), to: String(at - to * day), limit: '1' };
    return (await lab.as.admin.connections.list({ query })).total;
  };
  expect(await total(2.5, 1.5)).toBe(9000);
  expect(await total(9.5, 8.5)).toBe(0);
  const kept = await total(10, 0);
  expect([kept % 9000, settled.since]).toEqual([0, expect.any(Number)]);
  await lab.advance(hour);
  const keptDays = Array.from({ length: kept / 9000 }, (_, index) => kept / 9000 + 1 - index);
  await expect.poll(() => readDays(lab, at)).toEqual({ detections: keptDays, observed: keptDays });
  await lab.restart();
  await lab.advance(hour);
  expect(await total(10, 0)).toBe(kept);
  // What cannot be removed is too much: the newest day stays, and there is a warning.
  await fillDays(lab, [0], 100);
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => void writer.prepare('CREATE TABLE by_test AS SELECT zeroblob(10000000)').run());
  await db.close();
  await lab.advance(hour);
  const over = await eventually(
    () => lab.as.admin.status.status({}),
    (now) => (now.warningFacts.some(({ code }) => code === 'log_over_limit') ? now : undefined),
  );
  expect(over.retention.usedBytes).toBeGreaterThan(limit);
  // Rows go in steps: the warning may be there before the last of them.
  await expect.poll(async () => [await total(10, 0.5), await total(0.5, -1)]).toEqual([0, 100]);
});
