// Writes that wait, take long or fail: behind one that goes on until it is let go, and by triggers of a second connection.
import path from 'node:path';
import { Db } from '#kernel/sqlite/sqlite.ts';

/** Statement that the trigger runs for each row. */
const slow = 'SELECT length(randomblob(16000000))';
const refused = "SELECT RAISE(ABORT, 'refused by the test')";

async function run(lab: { dataDir: string }, sql: string): Promise<void> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => void writer.prepare(sql).run());
  await db.close();
}

async function withTrigger(lab: { dataDir: string }, table: string, body: string): Promise<() => Promise<void>> {
  await run(lab, `CREATE TRIGGER by_test AFTER INSERT ON ${table} BEGIN ${body}; END`);
  return () => run(lab, 'DROP TRIGGER by_test');
}

/**
 * Every row that is added to `table` takes some ten milliseconds, after which the write gives the event loop a turn.
 * Returns how to end that.
 */
export function slowInserts(lab: { dataDir: string }, table: string): Promise<() => Promise<void>> {
  return withTrigger(lab, table, slow);
}

/** Every transaction that adds a row to `table` fails. Returns how to end that. */
export function refuseInserts(lab: { dataDir: string }, table: string): Promise<() => Promise<void>> {
  return withTrigger(lab, table, refused);
}

/** What is written to `db` from now on waits. Returns how to let it go. */
export function holdWrites(db: Db): () => Promise<void> {
  let isHeld = true;
  const held = db.write(function* () {
    while (isHeld) {
      yield;
    }
  });
  return async () => {
    isHeld = false;
    await held;
  };
}
