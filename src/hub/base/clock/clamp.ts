// Corrects stored times after the clock was set back.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { ClockCorrections, TableTimes } from './times.ts';

const rowsAtOnce = 500;

/**
 * Sets times that are later than `now` to `now`, except those of the steady clock. Returns the number of changed rows. Two
 * rows that become equal in a key with a time become one.
 */
export function* clampFutureTimes(
  writer: Writer,
  features: readonly ClockCorrections[],
  now: number,
): WriteSteps<number> {
  let changed = yield* clampTables(writer, selectTables(features, { isSteady: false }), now);
  for (const clamp of features.flatMap(({ clamps = [] }) => clamps)) {
    changed += yield* clamp(writer, now);
  }
  return changed;
}

/** As `clampFutureTimes`, for times of the steady clock alone; `now` is the time of that clock. */
export function clampFutureSteadyTimes(
  writer: Writer,
  features: readonly ClockCorrections[],
  now: number,
): WriteSteps<number> {
  return clampTables(writer, selectTables(features, { isSteady: true }), now);
}

const selectTables = (features: readonly ClockCorrections[], { isSteady }: { isSteady: boolean }) =>
  features.flatMap(({ tables }) => tables.filter((times) => (times.isSteady === true) === isSteady));

function* clampTables(writer: Writer, tables: readonly TableTimes[], now: number): WriteSteps<number> {
  let changed = 0;
  for (const times of tables) {
    changed += yield* clampTable(writer, times, now);
  }
  return changed;
}

function* clampTable(
  writer: Writer,
  { table, timestamps, deadlines = {} }: TableTimes,
  now: number,
): WriteSteps<number> {
  const key = readKey(writer, table);
  const columns = [
    ...timestamps.map((stamp) => `${stamp} = min(${stamp}, :now)`),
    ...Object.entries(deadlines).map(
      ([deadline, stamp]) => `${deadline} = ${deadline} - max(0, coalesce(${stamp} - :now, 0))`,
    ),
  ];
  const starts = [...timestamps, ...Object.values(deadlines)];
  const late = writer
    .prepare(`SELECT ${key.join(', ')} FROM ${table} WHERE ${starts.map((start) => `${start} > :now`).join(' OR ')}`)
    .raw()
    .all({ now }) as unknown[][];
  const update = writer.prepare(
    `UPDATE OR REPLACE ${table} SET ${columns.join(', ')} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`,
  );
  yield;
  for (const [done, row] of late.entries()) {
    update.run(...row, { now });
    if (done % rowsAtOnce === rowsAtOnce - 1) {
      yield;
    }
  }
  return late.length;
}

function readKey(writer: Writer, table: string): string[] {
  const isWithoutRowid = writer.prepare('SELECT wr FROM pragma_table_list(?)').pluck().get(table) === 1;
  return isWithoutRowid
    ? (writer.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0').pluck().all(table) as string[])
    : ['rowid'];
}

/**
 * Shifts times of the steady clock back by `by`: those later than `after`, and deadlines that were computed from such.
 * Returns how many rows were changed.
 */
export function shiftSteadyTimes(
  writer: Writer,
  features: readonly ClockCorrections[],
  { by, after }: { by: number; after: number },
): number {
  let changed = 0;
  for (const { table, timestamps, deadlines = {} } of selectTables(features, { isSteady: true })) {
    const computed = [...timestamps.map((stamp) => [stamp, stamp] as const), ...Object.entries(deadlines)];
    const columns = computed.map(
      ([column, stamp]) => `${column} = CASE WHEN ${stamp} > :after THEN ${column} - :by ELSE ${column} END`,
    );
    const isLate = computed.map(([, stamp]) => `${stamp} > :after`).join(' OR ');
    changed += writer.prepare(`UPDATE ${table} SET ${columns.join(', ')} WHERE ${isLate}`).run({ by, after }).changes;
  }
  return changed;
}
