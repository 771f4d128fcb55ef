// The connections that a batch added or renewed, for live updates.
import type { Connection } from '#contract/model.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import type { MergedFlow } from '../record/merge.ts';
import { type ConnectionRow, connectionColumns, readRowLabels, toConnection } from './row.ts';

export type ChangedConnections = ReturnType<typeof createChangedConnections>;

/** Rows looked up between two yields to the event loop. */
const stepRows = 100;

export function createChangedConnections(max: number) {
  const keys: (string | number)[][] = [];
  let count = 0;
  return {
    /** To be called with each flow while its batch is recorded. */
    note({ src, dst, dport, proto }: Pick<MergedFlow, 'src' | 'dst' | 'dport' | 'proto'>) {
      count += 1;
      if (keys.length < max) {
        keys.push([src, dst, dport, proto]);
      }
    },
    /** Returns how often `note` was called. */
    count: () => count,
    /** The rows of the first `max`; to be called after the commit. */
    async read(db: Db) {
      const labels = readRowLabels(db);
      const find = db.prepare(
        `SELECT ${connectionColumns}
         FROM source s JOIN destination d JOIN flow f ON f.source_id = s.id AND f.destination_id = d.id
         WHERE s.address = +? AND d.address = +? AND f.dport = +? AND f.proto = +?`,
      );
      const rows: Connection[] = [];
      for (const [index, key] of keys.entries()) {
        const row = find.get(...key) as ConnectionRow | undefined;
        if (row) {
          rows.push(toConnection(row, labels));
        }
        if (index % stepRows === stepRows - 1) {
          await yieldToEventLoop();
        }
      }
      return rows;
    },
  };
}
