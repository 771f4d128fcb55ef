// The last days by the calendar of the browser. A day on which its clock changes has 23 or 25 hours.
import { calendar } from '../clock.ts';

const hourMs = 3_600_000;
/** The API counts a period in 240 parts at most: a week of hours. */
const mostDays = 7;

/** Consecutive days of the same length. `from` and `to` are the first and the last midnight, in epoch milliseconds. */
export interface EqualDays {
  from: number;
  to: number;
  days: number;
  hoursOfDay: number;
}

/** The local midnights that begin the last `days` days, and the one that ends the day of `at`. */
export function listMidnights(at: number, days: number): number[] {
  return Array.from({ length: days + 1 }, (_, index) => {
    const midnight = calendar(at);
    midnight.setDate(midnight.getDate() + index - days + 1);
    midnight.setHours(0, 0, 0, 0);
    return midnight.getTime();
  });
}

/** The API divides a period into equal parts, so that only days of the same length can share a request. */
export function groupEqualDays(midnights: readonly number[]): EqualDays[] {
  const groups: EqualDays[] = [];
  for (const [index, to] of midnights.entries()) {
    const from = midnights[index - 1];
    if (from === undefined) {
      continue;
    }
    const group = groups.at(-1);
    if (group && group.days < mostDays && (group.to - group.from) / group.days === to - from) {
      group.to = to;
      group.days += 1;
    } else {
      groups.push({ from, to, days: 1, hoursOfDay: Math.round((to - from) / hourMs) });
    }
  }
  return groups;
}
