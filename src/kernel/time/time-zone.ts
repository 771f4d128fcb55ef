// Local time of a place by its IANA name, from the time-zone data of the runtime.
import { calendar, isoTime, utcTime } from './clock.ts';
import { dayMs, minuteMs } from './time.ts';

export interface LocalTime {
  /** Such as `2026-03-01`. */
  date: string;
  /** Since local midnight by the clocks there, 0 … 1439. */
  minutes: number;
}

export interface TimeZone {
  /** What the clocks there show at an instant (epoch milliseconds). */
  at(instant: number): LocalTime;
  /**
   * The first instant at which the clocks there show this time of this date; where they jump over it, the instant of the
   * jump, which may be on the next date.
   */
  instantOf(date: string, minutes: number): number;
}

/** Null when there is no zone of this name. Names of offsets such as `+09:00` are none: a place has summer time. */
export function timeZone(name: string): TimeZone | null {
  const format = formatOf(name);
  if (!format) {
    return null;
  }
  /** The time of the clocks there, as if it were UTC; to the second. */
  const shown = (instant: number) => {
    const parts = format.formatToParts(instant);
    const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
    return utcTime(of('year'), of('month'), of('day'), of('hour'), of('minute'), of('second'));
  };
  const offsetAt = (instant: number) => shown(instant) - Math.floor(instant / 1000) * 1000;
  return {
    at(instant) {
      const local = shown(instant);
      const { hour, minute } = calendar(local);
      return { date: dateText(local), minutes: hour * 60 + minute };
    },
    instantOf(date, minutes) {
      const wanted = startOf(date) + minutes * minuteMs;
      const offsets = [-dayMs, 0, dayMs].map((away) => offsetAt(wanted + away));
      const exact = offsets.map((offset) => wanted - offset).filter((instant) => shown(instant) === wanted);
      return exact.length > 0
        ? Math.min(...exact)
        : jump(wanted - Math.max(...offsets), wanted - Math.min(...offsets), (instant) => shown(instant) >= wanted);
    },
  };
}

/** The first whole second after `before`, at most `after`, that `isBehind` holds for. */
function jump(before: number, after: number, isBehind: (instant: number) => boolean): number {
  let low = before;
  let high = after;
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    [low, high] = isBehind(middle) ? [low, middle] : [middle, high];
  }
  return high;
}

/** `days` after a date; before it when negative. */
export function dateAfter(date: string, days: number): string {
  return dateText(startOf(date) + days * dayMs);
}

/** 0 is Sunday. */
export function getWeekday(date: string): number {
  return calendar(startOf(date)).weekday;
}

function startOf(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return utcTime(year, month, day);
}

function dateText(utc: number): string {
  return isoTime(utc).slice(0, 10);
}

function formatOf(name: string): Intl.DateTimeFormat | null {
  const number = 'numeric';
  try {
    return /^[A-Za-z]/.test(name)
      ? new Intl.DateTimeFormat('en-US', {
          timeZone: name,
          calendar: 'gregory',
          numberingSystem: 'latn',
          hourCycle: 'h23',
          year: number,
          month: number,
          day: number,
          hour: number,
          minute: number,
          second: number,
        })
      : null;
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
}
