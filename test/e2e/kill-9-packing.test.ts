// The hub is killed without warning while it packs hours: every row is in its pack or still beside it, and only once.
import { createHash } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { seen } from '../support/connection-log.ts';
import { hourRows } from '../support/hour-rows.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-kill-9-packing-test';
const hours = 80;
const flowsOfHour = 4000;
/** Packs that are there when the hub is killed. */
const kills = [3, 20, 40] as const;

test('a hub killed while it packs hours loses none and counts none twice', { timeout: 300_000 }, async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  await recordHours(file);
  const before = look(file);
  expect(before).toMatchObject({ integrity: 'ok', packs: 0, rows: hours * flowsOfHour });
  const packsAtKill: number[] = [];
  for (const packs of kills) {
    const hub = await startHubProcess({ dataDir: folder.path, adminToken });
    try {
      await expect.poll(() => counts(file).packs).toBeGreaterThanOrEqual(packs);
      hub.program.kill('SIGKILL');
      expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    } finally {
      await hub[Symbol.asyncDispose]();
    }
    const after = look(file);
    expect(after).toEqual({ ...before, packs: after.packs });
    packsAtKill.push(after.packs);
  }
  console.log(`of ${hours} hours, packed at the kills: ${packsAtKill.join(', ')}`);
  expect(packsAtKill.some((packs) => packs < hours)).toBe(true);

  await using _ = await startHubProcess({ dataDir: folder.path, adminToken });
  await expect.poll(() => counts(file).unpacked).toBe(0);
  expect(look(file)).toEqual({ ...before, packs: hours });
});

/** Some flows come every hour, others once. */
async function recordHours(file: string): Promise<void> {
  migrate(file, path.join(import.meta.dirname, '../../src/hub/base/migrations'));
  const db = new Db(file);
  const hourMs = 3_600_000;
  const now = systemClock.now();
  const start = now - (now % hourMs) - hours * hourMs;
  for (let hour = 0; hour < hours; hour += 1) {
    const observations = Array.from({ length: flowsOfHour }, (_, flow) =>
      seen({
        dst: flow % 2 === 0 ? '203.0.113.80' : `198.18.${hour}.1`,
        dport: flow,
        at: start + hour * hourMs + flow * 7,
      }),
    );
    await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations, now });
  }
  await db.close();
}

function counts(file: string): { packs: number; unpacked: number } {
  const db = new Database(file, { readonly: true });
  try {
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
    return { packs: count('flow_hour_pack'), unpacked: count('flow_hour') };
  } finally {
    db.close();
  }
}

/** The hub may be down: the file must speak for itself. */
function look(file: string) {
  const { packs } = counts(file);
  const db = new Database(file);
  try {
    const rows = hourRows(db);
    const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
    return { integrity: db.pragma('integrity_check', { simple: true }), packs, rows: rows.length, hash };
  } finally {
    db.close();
  }
}
