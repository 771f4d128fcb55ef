// When a scheduled analysis is due: once on each local day of the schedule, whatever the clocks do on it.
import { dateAfter, getWeekday, timeZone } from '#kernel/time/time-zone.ts';
import type { AiSettings } from '../choice.ts';

export type ScheduleSettings = Pick<AiSettings['notifications'], 'frequency' | 'weekday' | 'time' | 'timezone'>;

export interface Occasion {
  /** `scheduled:<frequency>:<local date>:<time>` names it for good. */
  key: string;
  /** Epoch milliseconds. */
  dueAt: number;
}

export interface Schedule {
  /** The occasion that is due at `now`: until the local day that it came on has ended. Earlier ones are over. */
  open(now: number): Occasion | null;
  /** The next occasion after `now`. */
  next(now: number): Occasion;
}

/** Null when it is off, or its time zone is not known. */
export function createSchedule({ frequency, weekday, time, timezone }: ScheduleSettings): Schedule | null {
  const zone = timeZone(timezone);
  if (frequency === 'off' || !zone) {
    return null;
  }
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const isDay = (date: string) => frequency === 'daily' || getWeekday(date) === weekday;
  const toOccasion = (date: string): Occasion => ({
    key: `scheduled:${frequency}:${date}:${time}`,
    dueAt: zone.instantOf(date, hours * 60 + minutes),
  });
  /** The occasions of a local date. Where a change of the clocks skips the time of an occasion, it may fall on the next date. */
  const findOccasionsOn = (date: string) =>
    [date, dateAfter(date, -1)]
      .filter(isDay)
      .map(toOccasion)
      .filter(({ dueAt }) => zone.at(dueAt).date === date);
  const last: { date: string; occasions: readonly Occasion[] } = { date: '', occasions: [] };
  return {
    open(now) {
      const { date } = zone.at(now);
      if (date !== last.date) {
        Object.assign(last, { date, occasions: findOccasionsOn(date) });
      }
      return last.occasions.find(({ dueAt }) => dueAt <= now) ?? null;
    },
    next(now) {
      const { date } = zone.at(now);
      const days = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8].map((after) => dateAfter(date, after));
      const later = days
        .filter(isDay)
        .map(toOccasion)
        .filter(({ dueAt }) => dueAt > now);
      return later.reduce((first, one) => (one.dueAt < first.dueAt ? one : first));
    },
  };
}
