// Rows of a table by number, read with their first use, many at once.
import type { Reader } from '#kernel/sqlite/sqlite.ts';

export interface Dictionary<E> {
  /** Reads those that are not known yet. */
  load(ids: Iterable<number>): void;
  /** Throws for a number that was not loaded, or is not in the table. */
  get(id: number): E;
}

/** `select` names a table and an `id` among its columns; `toEntry` makes what is kept of a row. */
export function createDictionary<R extends { id: number }, E>(
  reader: Pick<Reader, 'prepare'>,
  select: string,
  toEntry: (row: R) => E,
): Dictionary<E> {
  const known = new Map<number, E>();
  const find = reader.prepare(`${select} WHERE id IN (SELECT value FROM json_each(?))`);
  return {
    load(ids) {
      const missing = [...new Set(ids)].filter((id) => !known.has(id));
      for (const row of missing.length === 0 ? [] : (find.all(JSON.stringify(missing)) as R[])) {
        known.set(row.id, toEntry(row));
      }
    },
    get(id) {
      const entry = known.get(id);
      if (entry === undefined) {
        throw new Error(`row ${id} of ${select} was not loaded`);
      }
      return entry;
    },
  };
}
