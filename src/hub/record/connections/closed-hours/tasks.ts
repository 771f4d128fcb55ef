// What threads do for closed-hours.ts: each task is one snapshot.
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import { hoursWithin } from '../store/hour-rows.ts';
import { findHours, rowsOfHours } from './look.ts';
import type { HoursFound, LookParams, Unit, UnitParams } from './type.ts';
import { readUnit } from './unit.ts';

/** Page cache of a connection. */
const cacheKb = 16_384;

interface OfFile {
  file: string;
}

export const tasks = {
  look: ({ file, ...params }: LookParams & OfFile): HoursFound =>
    inSnapshot(file, (reader) => findHours(reader, params)),
  unit: ({ file, ...params }: UnitParams & OfFile): Unit => inSnapshot(file, (reader) => readUnit(reader, params)),
  count: ({ file, hours, closedAt }: OfFile & { hours: readonly number[] | 'all'; closedAt: number }) =>
    inSnapshot(file, (reader) => {
      const closed = hoursWithin(reader, 0, hourOf(closedAt) - 1);
      return rowsOfHours(reader, hours === 'all' ? closed : closed.filter((hour) => hours.includes(hour)));
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
