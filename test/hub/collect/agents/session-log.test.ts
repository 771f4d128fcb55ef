// Sessions of routers from machines with an Agent: what becomes one row, what a new one, and that none fails a poll.
import path from 'node:path';
import { expect, test } from 'vitest';
import { createSessionLog } from '#hub/collect/agents/session-log.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { noon, seen } from '../../../support/connection-log.ts';
import { countSteps } from '../../../support/counted-steps.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const hour = 3_600_000;

async function openLog() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, path.join(import.meta.dirname, '../../../../src/hub/base/migrations'));
  const db = new Db(file);
  await db.write((writer) => writer.prepare("INSERT INTO observer (router_id, kind) VALUES ('r', 'vendor_a')").run());
  const log = createSessionLog(db);
  return {
    ...{ db, log },
    see: (startedAt: number, at: number, more = {}) =>
      db.write((writer) =>
        log.writeSessions(writer, { routerId: 'r', observations: [seen({ sport: 50_000, startedAt, at, ...more })] }),
      ),
    rows: () => db.prepare('SELECT first_seen - ? AS first, last_seen - ? AS last FROM router_session').all(noon, noon),
    async [Symbol.asyncDispose]() {
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

test('only sources with an Agent are stored', async () => {
  await using sessions = await openLog();
  await sessions.see(noon, noon);
  sessions.log.noteAddresses(['192.168.1.2']);
  await sessions.see(noon, noon, { src: '192.168.1.3' });
  expect(sessions.rows()).toEqual([]);
  await sessions.see(noon, noon);
  expect(sessions.rows()).toEqual([{ first: 0, last: 0 }]);
});

test('a session whose source port is not known has port 0, and a write gives way after every 512 observations', async () => {
  await using sessions = await openLog();
  const { db, log } = sessions;
  const counted = countSteps(db);
  const write = (length: number, sport: number | null) =>
    counted.write((writer) =>
      log.writeSessions(writer, { routerId: 'r', observations: Array(length).fill(seen({ sport })) }),
    );
  await write(512, null);
  log.noteAddresses(['192.168.1.2']);
  await write(511, null);
  await write(1024, 7);
  // While no machine has an Agent nothing is looked at.
  expect(counted.writes).toEqual([0, 0, 2]);
  expect(db.prepare('SELECT sport FROM router_session ORDER BY sport').pluck().all()).toEqual([0, 7]);
});

test('a session goes on while it is seen within an hour; later it is another one', async () => {
  await using sessions = await openLog();
  sessions.log.noteAddresses(['192.168.1.2']);
  await sessions.see(noon, noon);
  await sessions.see(noon + 60_000, noon + 60_000);
  await sessions.see(noon - 5000, noon + 120_000);
  await sessions.see(noon + 3 * hour, noon + 3 * hour);
  expect(sessions.rows()).toEqual([
    { first: -5000, last: 120_000 },
    { first: 3 * hour, last: 3 * hour },
  ]);
});

test('a start that would make two rows one fails no poll', async () => {
  await using sessions = await openLog();
  sessions.log.noteAddresses(['192.168.1.2']);
  await sessions.see(noon, noon);
  await sessions.see(noon + 3 * hour, noon + 3 * hour);
  await sessions.see(noon, noon + 3 * hour + 60_000);
  expect(sessions.rows()).toEqual([
    { first: 0, last: 0 },
    { first: 3 * hour, last: 3 * hour },
  ]);
});
