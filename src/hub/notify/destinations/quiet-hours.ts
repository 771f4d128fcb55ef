// When a destination is left in peace: its quiet hours, and a mute that ends by itself.
import { dateAfter, getWeekday, timeZone } from '#kernel/time/time-zone.ts';
import type { DestinationRecord } from '../../base/settings/schema.ts';
import type { Hold } from '../delivery.ts';

export type Quiet = Pick<DestinationRecord, 'quietHours' | 'muteUntil' | 'dangerAnyway'>;

/** Until when events wait at `now`; null when they are sent. */
export function findHold({ quietHours, muteUntil, dangerAnyway }: Quiet, now: number): Hold | null {
  const ends = [muteUntil ?? 0, quietHours ? findQuietEnd(quietHours, now) : 0];
  const until = Math.max(...ends);
  return until > now ? { until, dangerAnyway } : null;
}

/** The end of the quiet hours that `now` lies in; 0 outside of them, and where the time zone is not known any more. */
function findQuietEnd({ from, to, timeZone: name, days }: NonNullable<Quiet['quietHours']>, now: number): number {
  const zone = timeZone(name);
  if (!zone) {
    return 0;
  }
  const today = zone.at(now).date;
  const ends = [today, dateAfter(today, -1)]
    .filter((date) => days.includes(getWeekday(date)))
    .map((date) => {
      const begins = zone.instantOf(date, toMinutes(from));
      const ends = zone.instantOf(to > from ? date : dateAfter(date, 1), toMinutes(to));
      return begins <= now ? ends : 0;
    });
  return Math.max(0, ...ends);
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
