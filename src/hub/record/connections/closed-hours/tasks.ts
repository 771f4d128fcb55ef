// What threads do for closed-hours.ts: each task is one snapshot.
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import { findHours } from '../store/hour-rows.ts';
import { countHourRows, lookAtHours } from './look.ts';
import type { HoursFound, LookParams, Unit, UnitParams } from './type.ts';
import { readUnit } from './unit.ts';

/** Page cache of a connection. */
const cacheKb = 16_384;

interface DatabaseFile {
  file: string;
}

export const tasks = {
  look: ({ file, ...params }: LookParams & DatabaseFile): HoursFound =>
    inSnapshot(file, (reader) => lookAtHours(reader, params)),
  unit: ({ file, ...params }: UnitParams & DatabaseFile): Unit =>
    inSnapshot(file, (reader) => readUnit(reader, params)),
  count: ({ file, hours, closedAt }: DatabaseFile & { hours: readonly number[] | 'all'; closedAt: number }) =>
    inSnapshot(file, (reader) => {
      const closed = findHours(reader, 0, hourOf(closedAt) - 1);
      return countHourRows(reader, hours === 'all' ? closed : closed.filter((hour) => hours.includes(hour)));
    }),
};

export type ClosedHoursTasks = typeof tasks;

function inSnapshot<T>(file: string, read: (reader: ReadConnection) => T): T {
  const reader = new ReadConnection(file, cacheKb);
  try {
    reader.begin();
    return read(reader);
  } finally {
    reader.close();
  }
}
