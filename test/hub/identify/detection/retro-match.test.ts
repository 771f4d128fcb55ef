// Retro-matches in the database: what an earlier program left, a clock that was ahead, settings from before.
import { copyFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RetroMatch } from '#contract/retro-match.ts';
import { emptySettings, settingsSchema } from '#hub/base/settings/schema.ts';
import { clampRetroMatches } from '#hub/identify/detection/clamp-retro.ts';
import { insertDetection, readEntry, readLabels } from '#hub/identify/detection/detection-log.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { openConnectionLog } from '../../../support/connection-log.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const migrations = path.join(import.meta.dirname, '../../../../src/hub/base/migrations');

/** The database of the program before, with rows, after the newest one has opened it. */
async function migrated(folder: string, ...rows: string[]): Promise<Db> {
  const file = path.join(folder, 'monitor.db');
  for (const name of readdirSync(migrations).filter((step) => step < '020')) {
    copyFileSync(path.join(migrations, name), path.join(folder, name));
  }
  migrate(file, folder);
  const before = new Db(file);
  await before.write((writer) => {
    for (const sql of rows) {
      writer.prepare(sql).run();
    }
  });
  await before.close();
  migrate(file, migrations);
  return new Db(file);
}

const part =
  "INSERT INTO threat_part (part, fetched_at, checked_at, sha256) VALUES ('c2', 5, 9, 'x'), ('url', NULL, 3, NULL)";
const version = (text: string) => `INSERT INTO threat_verdicts (id, version) VALUES (1, '${text}')`;

test('an earlier log of detections stays as it was, and its ids are not used again', async () => {
  using folder = temporaryFolder();
  const db = await migrated(
    folder.path,
    `INSERT INTO detection (type, detected_at, src, dst, dport, proto, threat_source, chat_key, chat_sent)
     VALUES ('threat', 7, '192.168.1.2', '203.0.113.80', 443, 'TCP', 'feed_c2', 'key', 1), ('beacon', 8, 'a', 'b', 1, 'TCP',
       NULL, NULL, 0), ('new_device', 9, 'a', NULL, NULL, NULL, NULL, NULL, 0)`,
    'DELETE FROM detection WHERE id = 3',
    part,
    version('1-2'),
  );
  await using _ = { [Symbol.asyncDispose]: () => db.close() };
  expect(readEntry(db, 1, 100)).toMatchObject({
    ...{ type: 'threat', src: '192.168.1.2', dport: 443, threatSource: 'feed_c2', chatSent: 1, retro: null },
  });
  expect(readEntry(db, 2, 100)).toMatchObject({ type: 'beacon', detectedAt: 8, retro: null });
  const detected = { type: 'beacon', at: 10, src: 'a' } as const;
  expect(await db.write((writer) => insertDetection(writer, detected, readLabels(writer, detected), null))).toBe(4);
  const plan = db.prepare('EXPLAIN QUERY PLAN SELECT id FROM detection ORDER BY detected_at DESC, id DESC').all();
  expect(JSON.stringify(plan)).toContain('detection_time');
  expect(db.prepare('SELECT part, sha256, fetched_at, checked_at FROM threat_agreed').raw().all()).toEqual([
    ['c2', 'x', 5, 9],
  ]);
});

test.each([
  ['was killed while it judged', [part, version('under way')]],
  ['never judged', [part]],
])('a program that %s leaves nothing that the log agrees with', async (_what, rows) => {
  using folder = temporaryFolder();
  const db = await migrated(folder.path, ...rows);
  await using _ = { [Symbol.asyncDispose]: () => db.close() };
  expect(db.prepare('SELECT * FROM threat_agreed').all()).toEqual([]);
});

test('what was written while the clock was ahead is not later than now', async () => {
  await using log = openConnectionLog();
  const seen = { firstSeen: 5, lastSeen: 99 };
  const retro: RetroMatch = {
    ...{ flows: 1, connections: [{ id: 'x', ...seen }], ...seen, feed: 'feed_c2', cause: 'list', level: 'warn' },
    ...{ previousAt: 60, listedAt: 70, isOngoing: true },
  };
  const write = (one: RetroMatch) => {
    const detected = { type: 'retro_match', at: 50, src: 'a', retro: one } as const;
    return log.db.write((writer) => insertDetection(writer, detected, readLabels(writer, detected), null));
  };
  const passed = { ...retro, previousAt: null, listedAt: 6, lastSeen: 7, connections: [] };
  const ids = [await write(retro), await write(passed)];
  expect(await log.db.write((writer) => clampRetroMatches(writer, 50))).toBe(1);
  const back = { ...seen, lastSeen: 50 };
  expect(ids.map((id) => readEntry(log.db, id, 100).retro)).toEqual([
    { ...retro, ...back, connections: [{ id: 'x', ...back }], previousAt: 50, listedAt: 50 },
    passed,
  ]);
});

test('settings from before have the switches of threats for retro-matches, until they are set', () => {
  const { detection, ...others } = emptySettings();
  expect(detection.retroMatch).toEqual({ chat: true, history: true });
  const threat = { chat: false, history: true };
  const read = (stored: object) => settingsSchema.parse({ ...others, detection: stored }).detection;
  expect(read({ threat }).retroMatch).toEqual(threat);
  const saved = read({ threat });
  expect(read({ ...saved, threat: { chat: true, history: true } }).retroMatch).toEqual(threat);
});
