// Where the axes of the chart have their lines: round counts, and round hours or days of local time.
import { calendar } from '../clock.ts';

const minuteMs = 60_000;
const dayMinutes = 1440;
const stepsMinutes = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, dayMinutes, 2 * dayMinutes, 7 * dayMinutes];
/** Most lines of the time axis. */
const mostTimes = 8;

/** Up to five whole numbers from 0 on, in steps of 1, 2 or 5 times a power of ten; the last is at least `most`. */
export function countTicks(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most) / 4));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one * 4 >= most) ?? 1);
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step);
}

/** Instants between `from` and `to` at round hours, or at midnight where a step is a day or more. */
export function timeTicks(from: number, to: number): number[] {
  const minutes = (to - from) / minuteMs;
  const step =
    stepsMinutes.find((one) => minutes / one <= mostTimes) ?? Math.ceil(minutes / mostTimes / dayMinutes) * dayMinutes;
  const ticks: number[] = [];
  for (let index = 0; ticks.length <= mostTimes; index += 1) {
    // Counted from midnight in local time, which has 23 or 25 hours on some days.
    const tick = calendar(from);
    tick.setHours(0, index * step, 0, 0);
    if (tick.getTime() > to) {
      break;
    }
    if (tick.getTime() >= from) {
      ticks.push(tick.getTime());
    }
  }
  return ticks;
}

/** Whether a day of local time begins at this instant. */
export function isMidnight(at: number): boolean {
  const time = calendar(at);
  return time.getHours() === 0 && time.getMinutes() === 0;
}
