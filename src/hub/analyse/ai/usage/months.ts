// Calendar months of local time, whose offset from UTC is fixed: the one that is given.
import { calendar, utcTime } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';

/** Holds `from` and every instant before `to`, epoch milliseconds. */
export interface Month {
  from: number;
  to: number;
}

/** The month that `now` lies in, and the one before. `timezoneOffset`: minutes to add to local time to get UTC. */
export function findMonths(now: number, timezoneOffset: number): { current: Month; previous: Month } {
  const { year, month } = calendar(now, -timezoneOffset * minuteMs);
  const first = (number: number) => utcTime(year, number, 1) + timezoneOffset * minuteMs;
  const begin = first(month);
  return { current: { from: begin, to: first(month + 1) }, previous: { from: first(month - 1), to: begin } };
}
