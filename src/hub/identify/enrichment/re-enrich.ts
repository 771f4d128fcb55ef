// Enriches the log again after the data has changed, in steps short enough for polls to run in between.
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { createDescriber } from './answers.ts';
import type { EnrichmentData } from './embedded/data.ts';

/** Destinations of one transaction. */
const stepRows = 500;

/** Updates destinations and sources to `data`, resuming an earlier run. An abort rejects with its reason. */
export async function describeAgain(db: Db, data: EnrichmentData, signal: AbortSignal): Promise<{ changed: number }> {
  let changed = 0;
  for (let next = await begin(db, data); next !== null; ) {
    signal.throwIfAborted();
    const step = await describeSome(db, data, next);
    changed += step.changed;
    next = step.next;
  }
  return { changed };
}

/** The first destination to update; null when this version has updated all. Vendors are updated at once. */
function begin(db: Db, { version, dataset }: EnrichmentData): Promise<number | null> {
  return db.write(function* (writer) {
    const state = writer.prepare('SELECT version, next_id AS next FROM enrichment_state').get() as
      | { version: string; next: number | null }
      | undefined;
    if (state?.version === version) {
      return state.next;
    }
    const rows = writer.prepare('SELECT id, mac FROM source WHERE mac IS NOT NULL').all() as {
      id: number;
      mac: string;
    }[];
    const update = writer.prepare('UPDATE source SET vendor = ? WHERE id = ? AND vendor IS NOT ?');
    for (const { id, mac } of rows) {
      const vendor = dataset.findVendor(mac);
      update.run(vendor, id, vendor);
      yield;
    }
    writer
      .prepare(
        `INSERT INTO enrichment_state (id, version, next_id) VALUES (1, ?, 0)
         ON CONFLICT (id) DO UPDATE SET version = excluded.version, next_id = excluded.next_id`,
      )
      .run(version);
    return 0;
  });
}

function describeSome(db: Db, data: EnrichmentData, from: number): Promise<{ changed: number; next: number | null }> {
  return db.write(function* (writer) {
    const rows = writer
      .prepare('SELECT id, address FROM destination WHERE id >= ? ORDER BY id LIMIT ?')
      .all(from, stepRows) as { id: number; address: string }[];
    const describe = createDescriber(writer, data.find);
    let changed = 0;
    for (const row of rows) {
      changed += describe(row) ? 1 : 0;
      yield;
    }
    const last = rows.at(-1);
    const next = last && rows.length === stepRows ? last.id + 1 : null;
    writer.prepare('UPDATE enrichment_state SET next_id = ?').run(next);
    return { changed, next };
  });
}
