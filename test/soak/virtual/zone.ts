// Local time of a zone by Intl alone: an oracle beside the calendar of the product.
import { toDate, utcTime } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-03-29` and minutes since midnight that the clocks of `zone` show. */
export function localTime(zone: string, at: number): { date: string; minutes: number } {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  const [date = '', time = ''] = format.format(toDate(at)).split(' ');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return { date, minutes: hours * 60 + minutes };
}

/** Minutes that local time is ahead of UTC. */
export function offsetAt(zone: string, at: number): number {
  const { date, minutes } = localTime(zone, at);
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return Math.round((utcTime(year, month, day, 0, minutes) - Math.floor(at / minuteMs) * minuteMs) / minuteMs);
}

/** The first instant of a step of five minutes at which it is `minutes` past midnight, or later, on local `date`; null for none. */
export function firstInstant(zone: string, date: string, minutes: number): number | null {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const noon = utcTime(year, month, day, 12);
  for (let at = noon - 1440 * minuteMs; at < noon + 1440 * minuteMs; at += 5 * minuteMs) {
    const local = localTime(zone, at);
    if (local.date === date && local.minutes >= minutes) {
      return at;
    }
  }
  return null;
}
