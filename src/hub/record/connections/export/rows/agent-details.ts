// What Agents told of rows. No index holds it, so it is read for the rows of Agents alone.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { ObservedBy } from '../../store/observer-set.ts';
import type { Cells } from './cells.ts';
import { at, type IndexedRow } from './indexed-rows.ts';

type AgentRow = Cells['agent'] & { id: number };

export function createAgentDetails(reader: Pick<Reader, 'prepare'>, observers: ReadonlyMap<number, ObservedBy>) {
  const find = reader.prepare(
    `SELECT id, agent_host AS agentHost, process FROM flow WHERE id IN (SELECT value FROM json_each(?))`,
  );
  let known = new Map<number, AgentRow>();
  return {
    /** Reads what Agents told of these rows, in place of what was loaded before. */
    load(rows: readonly IndexedRow[]) {
      const ids = rows.filter((row) => observers.get(row[at.observers])?.hasAgent === true).map((row) => row[at.flow]);
      const found = ids.length === 0 ? [] : (find.all(JSON.stringify(ids)) as AgentRow[]);
      known = new Map(found.map((row) => [row.id, row]));
    },
    /** Null when no Agent has shown the row. */
    find: (flow: number): Cells['agent'] | null => known.get(flow) ?? null,
  };
}
