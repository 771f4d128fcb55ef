// The destinations due for a look-up: public, recently active, without a valid answer.
import type { LookupName } from '#contract/config.ts';
import { limits } from '#contract/limits.ts';
import { isPublicIp } from '#kernel/net/address.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';

/** Rows checked between two yields to the event loop. */
const stepRows = 250;

/** The newest first. No PTR look-up for a destination with a name that a client resolved: that is the better one. */
export async function* findDueAddresses(db: Db, kind: LookupName, now: number): AsyncGenerator<string> {
  const find = db.prepare(
    `SELECT d.address FROM destination d
     LEFT JOIN destination_answer a ON a.destination_id = d.id AND a.kind = :kind
     WHERE d.id > :from AND d.id <= :to
       AND (a.until IS NULL OR a.until <= :now)
       AND (:kind <> 'ptr' OR d.host IS NULL OR a.until IS NOT NULL)
       AND EXISTS (SELECT 1 FROM flow f WHERE f.destination_id = d.id AND f.last_seen >= :since)
     ORDER BY d.id DESC`,
  );
  const { newest } = db.prepare('SELECT coalesce(max(id), 0) AS newest FROM destination').get() as { newest: number };
  for (let to = newest; to > 0; to -= stepRows) {
    const rows = find.all({ kind, from: to - stepRows, to, now, since: now - limits.lookupActiveMs });
    yield* (rows as { address: string }[]).map(({ address }) => address).filter(isPublicIp);
    await yieldToEventLoop();
  }
}
