// The outbox of the chat workspace alone, as an earlier version left it, is the one of a destination among others.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createChatOutbox } from '#hub/notify/chat/delivery.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { root } from '../../../support/program.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('what was sent, what is tried and what waits stay as they were', async () => {
  using folder = temporaryFolder();
  const earlier = path.join(folder.path, 'earlier');
  const migrations = path.join(root, 'src/hub/base/migrations');
  mkdirSync(earlier);
  for (const name of readdirSync(migrations).filter((one) => one < '031')) {
    cpSync(path.join(migrations, name), path.join(earlier, name));
  }
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, earlier);
  const before = new Db(file);
  await before.write((writer) => {
    const message = `INSERT INTO chat_message (id, client_id, text, state, attempts, created_at, next_at, ended_at, failed_at, error)
      VALUES (3, 'sent', 's', 'sent', 1, 10, 10, 20, 15, 'http_500'), (4, 'open', 'o', 'open', 2, 30, 40, NULL, 35, 'http_502')`;
    writer.prepare(message).run();
    const alert = `INSERT INTO chat_alert (id, key, created_at, content, message_id) VALUES
      (5, 'a', 10, '{"title":"a"}', 3), (6, 'b', 30, '{"title":"b"}', 4), (7, 'c', 31, '{"title":"c"}', NULL)`;
    writer.prepare(alert).run();
  });
  await before.close();
  migrate(file, migrations);
  const db = new Db(file);
  const outbox = createChatOutbox(db, function* none() {});
  expect(await outbox.next(50)).toEqual({ id: 4, clientId: 'open', text: 'o', attempts: 2, createdAt: 30, nextAt: 40 });
  expect(outbox.state()).toEqual({ waiting: 2, lastSentAt: 20, lastFailedAt: 35, lastError: 'http_502' });
  expect(outbox.hasAny(db, ['a'])).toBe(true);
  const states = outbox.listLast(9).map(({ title, delivery, attempts }) => [title, delivery, attempts]);
  expect(states).toEqual([
    ['c', 'waiting', 0],
    ['b', 'waiting', 2],
    ['a', 'delivered', 1],
  ]);
  await db.close();
});
