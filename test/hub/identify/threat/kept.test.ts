// What is kept of the feeds over an upgrade of the program, and when it can no longer be read.
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Log } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { hour, minute, startThreatLab, type ThreatLab } from '../../../support/threat-lab.ts';

async function inDatabase<T>(lab: ThreatLab, work: (db: Db) => T | Promise<T>): Promise<T> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

const change = (lab: ThreatLab, ...statements: string[]) =>
  inDatabase(lab, (db) =>
    db.write((writer) => {
      for (const sql of statements) {
        writer.prepare(sql).run();
      }
    }),
  );

const keptBy = (lab: ThreatLab) =>
  inDatabase(lab, (db) => db.prepare('SELECT part, read_by AS readBy FROM threat_part ORDER BY part').all());

async function listed(lab: ThreatLab) {
  const { feeds, available } = await lab.as.admin.threat.feeds({});
  return { available, entries: feeds.map(({ entries }) => entries), states: feeds.map(({ state }) => state) };
}

test('rows that another program made, or that are damaged, are made anew from the text: nobody is asked', async () => {
  await using lab = await startThreatLab();
  const [before, by] = [await listed(lab), await keptBy(lab)];
  expect(by).toHaveLength(7);
  for (const sql of [
    "UPDATE threat_part SET read_by = '0.0.1/1'",
    'UPDATE threat_part SET read_by = NULL',
    "UPDATE threat_rows SET bytes = x'00112233'",
    'DELETE FROM threat_rows',
  ]) {
    await change(lab, sql);
    lab.feeds.clearJournal();
    await lab.restart();
    expect(await listed(lab), sql).toEqual(before);
    expect(lab.asked(), sql).toEqual([]);
    expect(await keptBy(lab), sql).toEqual(by);
    expect(await inDatabase(lab, (db) => db.prepare('SELECT count(*) AS count FROM threat_rows').get())).toEqual({
      count: 7,
    });
  }
});

test('a text that cannot be read any more is said so, asked for again, and never more often than its publisher allows', async () => {
  const warnings: object[] = [];
  const nothing = () => undefined;
  // The start says other things too.
  const warn = (what: object) => 'part' in what && warnings.push(what);
  const log = { debug: nothing, info: nothing, error: nothing, warn };
  await using lab = await startThreatLab({ key: false, hub: { log: log as unknown as Log } });
  await change(
    lab,
    'UPDATE threat_part SET read_by = NULL',
    "UPDATE threat_document SET bytes = x'1f8b0000' WHERE part = 'drop_v4'",
    "DELETE FROM threat_document WHERE part = 'c2'",
  );
  lab.feeds.clearJournal();
  await lab.restart();
  expect(warnings).toMatchObject([
    { part: 'c2', problem: 'it is not whole' },
    { part: 'drop_v4', problem: expect.stringContaining('cannot be unpacked') },
  ]);
  // The other document of this feed is good.
  expect(await lab.feed('feed_drop')).toMatchObject({ entries: 1 });
  await lab.later(10 * minute);
  expect(await lab.feed('feed_c2')).toMatchObject({ state: 'ok', entries: 2 });
  expect(lab.asked('spamhaus')).toEqual([]);
  await lab.later(hour);
  expect(lab.asked('spamhaus')).toMatchObject([{ status: 200, conditional: false }]);
  expect(await lab.feed('feed_drop')).toMatchObject({ state: 'ok', entries: 2 });
});
